package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

type provisionerFlags struct {
	kubeconfig string
	name       string
	controlDir string
	source     string
	finalizer  bool
	workers    int
	resync     time.Duration
	retryStart time.Duration
	retryMax   time.Duration
	qps        float64
	burst      int
}

func parseProvisionerFlags(args []string) (provisionerFlags, error) {
	var f provisionerFlags
	set := flag.NewFlagSet("provisioner", flag.ContinueOnError)
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file of the API server")
	set.StringVar(&f.name, "provisioner-name", "external.example.com", "name that storage classes call this provisioner by")
	set.StringVar(&f.controlDir, "control-dir", "", "directory of the failure switches, the call log and the disks")
	set.StringVar(&f.source, "source", "csi", "volume source of the volumes that are made: csi or hostPath")
	set.BoolVar(&f.finalizer, "finalizer", true, "put the library's own finalizer on volumes, as CSI drivers do")
	set.IntVar(&f.workers, "workers", 4, "claims, and volumes, that are worked on at once")
	// The library's defaults (15 minutes, 15 seconds, 1000 seconds) are made for clusters, not for tests.
	set.DurationVar(&f.resync, "resync-period", 30*time.Second, "how often everything is looked at again")
	set.DurationVar(&f.retryStart, "retry-interval-start", 100*time.Millisecond, "first wait after a failure")
	set.DurationVar(&f.retryMax, "retry-interval-max", time.Second, "longest wait after a failure")
	set.Float64Var(&f.qps, "kube-api-qps", 1000, "client limit: requests per second")
	set.IntVar(&f.burst, "kube-api-burst", 2000, "client limit: burst")
	klog.InitFlags(set)
	if err := set.Parse(args); err != nil {
		return f, err
	}
	switch {
	case set.NArg() > 0:
		return f, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case f.kubeconfig == "" || f.controlDir == "":
		return f, fmt.Errorf("--kubeconfig and --control-dir are needed")
	case f.source != sourceCSI && f.source != sourceHostPath:
		return f, fmt.Errorf("--source must be %s or %s, not %q", sourceCSI, sourceHostPath, f.source)
	}
	// The API server would refuse each volume of such a driver, and the library would try for ever.
	if wrong := validation.IsDNS1123Subdomain(f.name); f.source == sourceCSI && len(wrong) > 0 {
		return f, fmt.Errorf("--provisioner-name %q cannot be a CSI driver's name: %s", f.name, wrong[0])
	}
	return f, nil
}

// runProvisioner runs the external provisioner until it is told to stop, and returns its exit code.
func runProvisioner(args []string) int {
	flags, err := parseProvisionerFlags(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	defer klog.Flush()
	if err := serveProvisioner(ctx, flags); err != nil {
		klog.ErrorS(err, "Provisioner failed")
		return 1
	}
	return 0
}

func serveProvisioner(ctx context.Context, flags provisionerFlags) error {
	config, err := clientcmd.BuildConfigFromFlags("", flags.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = float32(flags.qps), flags.burst
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	control, err := openControlDir(flags.controlDir)
	if err != nil {
		return err
	}
	limiter := func() workqueue.TypedRateLimiter[string] {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[string](flags.retryStart, flags.retryMax)
	}
	controller.NewProvisionController(ctx, client, flags.name,
		&diskProvisioner{name: flags.name, source: flags.source, control: control},
		controller.LeaderElection(false),
		controller.AddFinalizer(flags.finalizer),
		controller.Threadiness(flags.workers),
		controller.ResyncPeriod(flags.resync),
		controller.RateLimiter(limiter()),
		// Volumes are saved by the library's own queue, as csi-provisioner has it: an API server that is away while a disk
		// was made does not lead to a second disk.
		controller.CreateProvisionedPVLimiter(limiter()),
		// Never give up: a test may leave a failure switched on for as long as it likes.
		controller.FailedProvisionThreshold(0),
		controller.FailedDeleteThreshold(0),
	).Run(ctx)
	return nil
}
