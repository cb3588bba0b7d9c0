package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// controlDir is how a test and the provisioner talk: the test switches failures on by making a file, and reads what
// was called and which disks exist.
//
//	fail-provision, fail-delete   while it exists the call fails, with the file's text as the error
//	calls.log                     one JSON line for each call
//	disks/<volume name>           one file for each disk
type controlDir struct {
	path string
	mu   sync.Mutex
}

type call struct {
	Time      time.Time `json:"time"`
	Operation string    `json:"operation"`
	Volume    string    `json:"volume"`
	Error     string    `json:"error,omitempty"`
}

func openControlDir(path string) (*controlDir, error) {
	c := &controlDir{path: path}
	return c, os.MkdirAll(filepath.Join(path, "disks"), 0o755)
}

func (c *controlDir) provision(volume string) error {
	err := c.failure("provision")
	if err == nil {
		err = os.WriteFile(c.diskPath(volume), []byte("data\n"), 0o644)
	}
	return c.record("provision", volume, err)
}

func (c *controlDir) delete(volume string) error {
	err := c.failure("delete")
	if err == nil {
		err = os.Remove(c.diskPath(volume))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return c.record("delete", volume, err)
}

func (c *controlDir) diskPath(volume string) string {
	return filepath.Join(c.path, "disks", volume)
}

// failure is the error that the operation is switched to, or nil.
func (c *controlDir) failure(operation string) error {
	message, err := os.ReadFile(filepath.Join(c.path, "fail-"+operation))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(message) == 0 {
		return fmt.Errorf("%s is switched to fail", operation)
	}
	return errors.New(string(message))
}

// record appends the call to the log and hands the call's own error back.
func (c *controlDir) record(operation, volume string, result error) error {
	entry := call{Time: time.Now().UTC(), Operation: operation, Volume: volume}
	if result != nil {
		entry.Error = result.Error()
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return errors.Join(result, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	log, err := os.OpenFile(filepath.Join(c.path, "calls.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return errors.Join(result, err)
	}
	_, err = log.Write(append(line, '\n'))
	return errors.Join(result, err, log.Close())
}
