/** The field reports about the in-tree plugins: hostPath with a disk to delete from, and recycler pods. */
import { failed } from './b4-failed.ts';
import { forgedPods } from './b5-forged-pod.ts';
import { recycling } from './b5-recycle.ts';
import { describeField } from './describe-field.ts';

describeField('field reports, in-tree plugins', { controller: { plugins: 'in-tree' } }, (scenario) => {
  for (const section of [failed, recycling, forgedPods]) section(scenario);
});
