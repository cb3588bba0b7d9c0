/** What a snapshot keeps of each object: whole pods of a large cluster would fill the memory. */
import type { Node, Pod } from '../controller/types.ts';
import type { DiagnosisKinds } from '../diagnosis/finding.ts';

/** @returns what is kept of it; undefined when no diagnosis can need it. */
export function slimmed<K extends keyof DiagnosisKinds>(
  kind: K,
  object: DiagnosisKinds[K],
): DiagnosisKinds[K] | undefined {
  switch (kind) {
    case 'Pod':
      return slimPod(object as Pod) as DiagnosisKinds[K] | undefined;
    case 'Node':
      return slimNode(object as Node) as DiagnosisKinds[K];
    default:
      return object;
  }
}

/** Pods matter by the claims that they use: their volumes, where and in what state they are. */
function slimPod({ metadata, spec, status }: Pod): Pod | undefined {
  const volumes = spec?.volumes?.filter(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral);
  if (spec === undefined || volumes === undefined || volumes.length === 0) return undefined;
  const { annotations: _annotations, ...kept } = metadata;
  const { nodeName, schedulingGates, schedulerName, nodeSelector } = spec;
  return {
    metadata: kept,
    spec: {
      containers: [],
      volumes,
      ...(nodeName !== undefined && { nodeName }),
      ...(schedulingGates !== undefined && { schedulingGates }),
      ...(schedulerName !== undefined && { schedulerName }),
      ...(nodeSelector !== undefined && { nodeSelector }),
    },
    ...(status !== undefined && { status }),
  };
}

/** Nodes matter by name, labels and readiness; their images and annotations are the bulk. */
function slimNode({ metadata, spec, status }: Node): Node {
  const { annotations: _annotations, ...kept } = metadata;
  const { conditions } = status ?? {};
  return {
    metadata: kept,
    ...(spec !== undefined && { spec }),
    status: { ...(conditions !== undefined && { conditions }) },
  };
}
