package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

const (
	sourceCSI      = "csi"
	sourceHostPath = "hostPath"
)

// diskProvisioner plays the storage system: a disk is a file of the control directory, named like its volume.
type diskProvisioner struct {
	name    string
	source  string
	control *controlDir
}

var _ controller.BlockProvisioner = &diskProvisioner{}

// SupportsBlock says that claims of mode Block are served too.
func (p *diskProvisioner) SupportsBlock(context.Context) bool { return true }

// Provision makes the disk (again, if it is there already) and describes the volume that fits the claim.
func (p *diskProvisioner) Provision(
	_ context.Context, options controller.ProvisionOptions,
) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	if err := p.control.provision(options.PVName); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	claim, class := options.PVC, options.StorageClass
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{
				v1.ResourceStorage: claim.Spec.Resources.Requests[v1.ResourceStorage],
			},
			AccessModes:               claim.Spec.AccessModes,
			VolumeMode:                claim.Spec.VolumeMode,
			MountOptions:              class.MountOptions,
			VolumeAttributesClassName: claim.Spec.VolumeAttributesClassName,
			PersistentVolumeSource:    p.volumeSource(options.PVName),
		},
	}
	if class.ReclaimPolicy != nil {
		volume.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	return volume, controller.ProvisioningFinished, nil
}

// Delete removes the disk; one that is gone already is a success, as CSI asks for.
func (p *diskProvisioner) Delete(_ context.Context, volume *v1.PersistentVolume) error {
	return p.control.delete(volume.Name)
}

func (p *diskProvisioner) volumeSource(pvName string) v1.PersistentVolumeSource {
	if p.source == sourceHostPath {
		return v1.PersistentVolumeSource{
			HostPath: &v1.HostPathVolumeSource{Path: p.control.diskPath(pvName)},
		}
	}
	return v1.PersistentVolumeSource{
		CSI: &v1.CSIPersistentVolumeSource{Driver: p.name, VolumeHandle: pvName},
	}
}
