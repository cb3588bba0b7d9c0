/** Functions that are started by the clock, above all the bridge: two of it always run (DESIGN D8). */
import { ofType, type Rule, type Template, targetOf } from './template.ts';

type Properties = Readonly<Record<string, unknown>>;

const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };
const BRIDGE = 'dist/bridge/';
const SCHEDULED = [BRIDGE, 'dist/resync/'];

export const SCHEDULES: Rule = {
  name: 'schedules',
  check: (template) =>
    ofType(template, 'AWS::Lambda::Function')
      .filter(({ properties }) => SCHEDULED.some((start) => String(properties['Handler']).startsWith(start)))
      .flatMap(({ id, properties }) => {
        const found = noRetries(template, id);
        const periods = rulesOf(template, id).map(({ ScheduleExpression }) => periodOf(String(ScheduleExpression)));
        const [period] = periods;
        const isPermitted = ofType(template, 'AWS::Lambda::Permission').some(
          (one) =>
            targetOf(one.properties['FunctionName'], 'Arn') === id &&
            one.properties['Principal'] === 'events.amazonaws.com',
        );
        if (!isPermitted) found.push('may not be started by EventBridge: it has no AWS::Lambda::Permission');
        if (periods.length !== 1 || period === undefined) {
          found.push(`is started by ${periods.length} rules: one that is on, of rate(…), is needed`);
        } else if (String(properties['Handler']).startsWith(BRIDGE)) {
          found.push(...overlap(properties, period));
        }
        return found.map((says) => ({ resource: id, says }));
      }),
};

/** @param period from one start to the next, in seconds. */
function overlap(properties: Properties, period: number): string[] {
  const found: string[] = [];
  const timeout = Number(properties['Timeout']);
  if (!(timeout >= 2 * period)) {
    found.push(`runs for ${timeout} s, started every ${period} s: two overlap only from ${2 * period} s on`);
  }
  const needed = Math.ceil(timeout / period);
  const reserved = properties['ReservedConcurrentExecutions'];
  if (!(Number(reserved ?? 0) >= needed)) {
    found.push(`has a reservedConcurrency of ${reserved ?? 'none'}: ${needed} of it run at a time`);
  }
  return found;
}

/** The rules that start a function and are on. */
function rulesOf(template: Template, id: string): Properties[] {
  return ofType(template, 'AWS::Events::Rule')
    .map(({ properties }) => properties)
    .filter(({ State, Targets }) => {
      const targets = (Targets ?? []) as { Arn: unknown }[];
      return State !== 'DISABLED' && targets.some(({ Arn }) => targetOf(Arn, 'Arn') === id);
    });
}

/** @returns seconds; undefined for what is no `rate(…)`. */
function periodOf(expression: string): number | undefined {
  const [, count, unit = ''] = expression.match(/^rate\((\d+) (minute|hour|day)s?\)$/) ?? [];
  return count === undefined ? undefined : Number(count) * (SECONDS[unit] ?? Number.NaN);
}

/** Lambda repeats what failed twice unless it is told not to: the next start takes its place. */
function noRetries(template: Template, id: string): string[] {
  const configs = ofType(template, 'AWS::Lambda::EventInvokeConfig').filter(
    ({ properties }) => targetOf(properties['FunctionName']) === id,
  );
  const isOnce = configs.length > 0 && configs.every(({ properties }) => properties['MaximumRetryAttempts'] === 0);
  return isOnce ? [] : ['is started again when it failed: set maximumRetryAttempts: 0'];
}
