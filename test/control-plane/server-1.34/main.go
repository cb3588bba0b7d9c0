// Command control-plane is the controller manager of an older minor version, for a cluster whose two writers are not of
// one age. It is called as its newer sibling in ../server is.
package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

const (
	program = "kube-controller-manager"
	usage   = "usage: control-plane " + program + " [flags]"
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != program {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	dieWithParent()
	os.Args = os.Args[1:]
	os.Exit(cli.Run(kcm.NewControllerManagerCommand()))
}
