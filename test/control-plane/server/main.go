// Command control-plane is a whole Kubernetes control plane for tests in one binary: the first argument names the
// program to be, all the others are that program's own flags.
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

const usage = "usage: control-plane etcd|kube-apiserver|kube-controller-manager|provisioner [flags]"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	dieWithParent()

	// Each program then sees the arguments as if it had been started under its own name.
	program := os.Args[1]
	os.Args = os.Args[1:]

	switch program {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(kcm.NewControllerManagerCommand()))
	case "provisioner":
		os.Exit(runProvisioner(os.Args[1:]))
	default:
		fmt.Fprintf(os.Stderr, "unknown program %q; %s\n", program, usage)
		os.Exit(2)
	}
}
