/** All rules of `npm run lint:stack`, for what cfn-lint does not see. */
import { alarmsRule } from './alarms.ts';
import { DASHBOARDS } from './dashboard.ts';
import { DEAD_LETTERS, NOTHING_LEFT_BEHIND } from './dead-letters.ts';
import { ENVIRONMENT } from './environment.ts';
import { ACCESS_ENTRIES, FUNCTIONS, LOG_GROUPS } from './functions.ts';
import { actionsRule, type Bundles } from './iam-actions.ts';
import { KEYS } from './keys.ts';
import { QUEUE_ACCESS } from './queue-access.ts';
import { EVENT_SOURCES, QUEUES } from './queues.ts';
import { REFERENCES } from './references.ts';
import { ROLES } from './roles.ts';
import { SCHEDULES } from './schedules.ts';
import { type Finding, type Rule, type Template, withoutNoValue } from './template.ts';
import { TOPICS } from './topics.ts';
import { TRUST } from './trust.ts';

/** What the rules compare a template with. */
export interface Surroundings {
  readonly bundles: Bundles;
  /** The text of docs/runbook.md. */
  readonly runbook: string;
}

export function rulesFor({ bundles, runbook }: Surroundings): readonly Rule[] {
  return [
    REFERENCES,
    QUEUES,
    DEAD_LETTERS,
    NOTHING_LEFT_BEHIND,
    QUEUE_ACCESS,
    EVENT_SOURCES,
    FUNCTIONS,
    ENVIRONMENT,
    SCHEDULES,
    LOG_GROUPS,
    ROLES,
    TRUST,
    KEYS,
    actionsRule(bundles),
    ACCESS_ENTRIES,
    alarmsRule(runbook),
    TOPICS,
    DASHBOARDS,
  ];
}

/** Findings with the rule's name. */
export function lint(template: Template, rules: readonly Rule[]): (Finding & { readonly rule: string })[] {
  const seen = withoutNoValue(template);
  return rules.flatMap(({ name, check }) => check(seen).map((finding) => ({ rule: name, ...finding })));
}
