package main

import (
	"io"
	"os"
)

// dieWithParentEnv is set by the harness, which then keeps the other end of our standard input open as long as it lives.
const dieWithParentEnv = "CONTROL_PLANE_DIE_WITH_PARENT"

// dieWithParent ends this process as soon as its standard input is closed. A test runner that is killed outright has no
// chance to stop its control plane; the kernel closes the pipe for it.
func dieWithParent() {
	if os.Getenv(dieWithParentEnv) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
}
