/** Labels that a volume lacks to be selected by a claim. */
import { mismatchOf, type Request } from '../controller/candidate.ts';
import type { PersistentVolume } from '../controller/types.ts';
import type { Cure } from './finding.ts';
import { labelCommand } from './kubectl.ts';

/** None where labels alone do not do, by the controller's own rules. */
export function labelCure(volume: PersistentVolume, request: Request): Cure[] {
  const lacking = lackingLabels(volume, request);
  const { name, labels } = volume.metadata;
  const labelled = { ...volume, metadata: { ...volume.metadata, labels: { ...labels, ...lacking } } };
  if (Object.keys(lacking).length === 0 || mismatchOf(labelled, request) !== undefined) return [];
  const does = `Label volume ${name} as the claim's selector wants it`;
  const replaced = Object.keys(lacking).filter((key) => labels?.[key] !== undefined);
  const danger = `What ${replaced.join(', ')} says of the volume now is lost: the claim gets a volume that was meant for others.`;
  return [{ does, command: labelCommand(volume, lacking), ...(replaced.length > 0 && { danger }) }];
}

function lackingLabels({ metadata }: PersistentVolume, { claim }: Request): Record<string, string> {
  const { matchLabels = {}, matchExpressions = [] } = claim.spec.selector ?? {};
  const wanted = new Map(Object.entries(matchLabels));
  for (const { key, operator, values = [] } of matchExpressions) {
    const own = metadata.labels?.[key];
    if (operator === 'In' && values[0] !== undefined && !values.includes(own ?? '')) wanted.set(key, values[0]);
    if (operator === 'Exists' && own === undefined) wanted.set(key, '');
  }
  return Object.fromEntries([...wanted].filter(([key, value]) => metadata.labels?.[key] !== value));
}
