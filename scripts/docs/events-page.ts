/** docs/events.md: the Kubernetes Events that the controller emits. */
import { EVENTS } from '../../lib/observability/events.ts';
import { code, generatedFrom, table } from './markdown.ts';

/** The page's text. */
export function eventsPage(): string {
  const of = (wanted: 'PersistentVolume' | 'PersistentVolumeClaim') =>
    table(
      ['Reason', 'Type', 'When'],
      EVENTS.filter(({ kind }) => kind === wanted).map(({ reason, type, when }) => [code(reason), type, when]),
    );
  return `${generatedFrom('lib/observability/events.ts')}

# Events

What the controller tells the users of volumes and claims, as \`kubectl describe\` shows it. Reasons and types are those of the
built-in controller. In observe mode none is emitted: what would have been said is in the log line \`would write\`. The same
Event about the same object is counted up, at most once in five minutes, and not repeated.

## About claims

In the claim's namespace: \`kubectl describe pvc -n NAMESPACE NAME\`.

${of('PersistentVolumeClaim')}

## About volumes

In the namespace \`default\`: \`kubectl describe pv NAME\`.

${of('PersistentVolume')}
`;
}
