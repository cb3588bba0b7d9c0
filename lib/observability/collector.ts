/**
 * The built-in controller's collector (BEHAVIOUR 11): how many volumes and claims there are, and how many are bound, by
 * the same labels. Fed object by object, so that whoever lists or holds them can count.
 */
import { annotationOf, BETA_STORAGE_CLASS, volumeModeOf } from '../controller/annotations.ts';
import { claimPhaseOf } from '../controller/claim-phase.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../controller/types.ts';
import { phaseOf } from '../controller/volume-phase.ts';
import { type DetailName, type DetailOf, METRICS } from './catalogue.ts';

/** The metrics that it counts for. */
export type CollectorName = Extract<DetailName, `pv_collector_${string}`>;

/** A count, by the labels of its metric. */
export interface Count<N extends CollectorName = CollectorName> {
  readonly name: N;
  readonly labels: DetailOf<N>;
  value: number;
}

/** Of a volume's source that no registered plugin is for. */
const NO_PLUGIN = 'N/A';
/** CloudWatch takes no empty value; Prometheus has one there. */
const NONE = 'none';
/** In no name of Kubernetes. */
const SEPARATOR = '\u0000';

/** Counts what it is given. Only combinations that exist are there. */
export class Collector {
  readonly #counts = new Map<string, Count>();

  volume(volume: PersistentVolume): void {
    this.#add('pv_collector_total_pv_count', pluginNameOf(volume), volumeModeOf(volume));
    const isBound = phaseOf(volume) === 'Bound';
    const name = isBound ? 'pv_collector_bound_pv_count' : 'pv_collector_unbound_pv_count';
    this.#add(name, volume.spec.storageClassName || NONE);
  }

  claim(claim: PersistentVolumeClaim): void {
    const { metadata, spec } = claim;
    const isBound = claimPhaseOf(claim) === 'Bound';
    const name = isBound ? 'pv_collector_bound_pvc_count' : 'pv_collector_unbound_pvc_count';
    const storageClass = annotationOf(claim, BETA_STORAGE_CLASS) || spec.storageClassName || NONE;
    this.#add(name, metadata.namespace, storageClass, spec.volumeAttributesClassName || NONE);
  }

  /** Over all labels, also what there is none of. */
  totals(): Record<CollectorName, number> {
    const totals: Record<CollectorName, number> = {
      pv_collector_total_pv_count: 0,
      pv_collector_bound_pv_count: 0,
      pv_collector_unbound_pv_count: 0,
      pv_collector_bound_pvc_count: 0,
      pv_collector_unbound_pvc_count: 0,
    };
    for (const { name, value } of this.#counts.values()) totals[name] += value;
    return totals;
  }

  /** By their labels, the largest first. */
  counts(): Count[] {
    return [...this.#counts.values()].sort((a, b) => b.value - a.value);
  }

  /** @param values of the metric's labels, in their order. For 100,000 objects a minute, so nothing is made for each. */
  #add(name: CollectorName, ...values: readonly string[]): void {
    const key = `${name}${SEPARATOR}${values.join(SEPARATOR)}`;
    const count = this.#counts.get(key);
    if (count !== undefined) {
      count.value += 1;
      return;
    }
    const labels = Object.fromEntries(METRICS[name].detail.map((label, i) => [label, values[i] ?? NONE]));
    this.#counts.set(key, { name, labels, value: 1 } as unknown as Count);
  }
}

/** The plugin that the built-in controller has registered for a volume's source; of CSI with its driver. */
export function pluginNameOf({ spec }: PersistentVolume): string {
  if (spec.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`;
  if (spec.hostPath !== undefined) return 'kubernetes.io/host-path';
  return spec.nfs === undefined ? NO_PLUGIN : 'kubernetes.io/nfs';
}
