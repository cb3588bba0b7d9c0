/** The field reports that need nothing special: one control plane, one controller, all of them one after the other. */
import { lost } from './b1-lost.ts';
import { released } from './b1-released.ts';
import { attachingPlugin, inUse } from './b4-in-use.ts';
import { matching } from './b6-matching.ts';
import { reserved } from './b6-reserved.ts';
import { firstConsumer } from './b8-first-consumer.ts';
import { migration } from './b9-migration.ts';
import { changes } from './b10-changes.ts';
import { oddEnds } from './b11-odd-ends.ts';
import { scale } from './b11-scale.ts';
import { describeField } from './describe-field.ts';

describeField('field reports', { controller: { system: { plugins: () => [attachingPlugin] } } }, (scenario) => {
  for (const section of [
    released,
    lost,
    inUse,
    matching,
    reserved,
    firstConsumer,
    migration,
    changes,
    oddEnds,
    scale,
  ]) {
    section(scenario);
  }
});
