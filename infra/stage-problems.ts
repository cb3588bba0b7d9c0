/** What is wrong with a stage file, in words: the field's path, its value, and the fix. */
import type * as z from 'zod';
import { withoutUser } from '../lib/addresses.ts';
import { nearest } from './nearest.ts';
import { keysAt, schemaAt } from './stage-fields.ts';
import { type FieldMeaning, MEANINGS } from './stage-schema.ts';
import { problemOfSetting } from './stage-settings.ts';

type Path = readonly PropertyKey[];

/** One thing that is wrong; `says` follows the field's path. */
export interface Problem {
  readonly path: Path;
  readonly says: string;
}

/** The problems that zod found. @param data the file's content, from which the values are quoted. */
export function schemaProblems(issues: readonly z.core.$ZodIssue[], data: unknown): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...issue.path, key], says: unknownKey(key, keysAt(issue.path)) }));
    }
    const value = valueAt(data, issue.path);
    return [{ path: issue.path, says: wrongValue(issue.path, value) }];
  });
}

/** Fields that are right one by one and wrong together, and the settings. */
export function contradictions(data: unknown): Problem[] {
  const at = (...path: string[]) => valueAt(data, path);
  const problems: Problem[] = [];
  const both = ['endpoint', 'certificateAuthority'];
  const [given, absent] = at('cluster', 'endpoint') === undefined ? both.toReversed() : both;
  if (given && absent && at('cluster', given) !== undefined && at('cluster', absent) === undefined) {
    const says = `is missing, and cluster.${given} is given: give both, or none to have the functions ask EKS`;
    problems.push({ path: ['cluster', absent], says });
  }
  const mayAssist = (at('mode') ?? 'observe') !== 'observe' || (at('modeMax') ?? 'mode') !== 'mode';
  const [grace, alarm] = [at('graceSeconds') ?? 60, at('monitoring', 'oldestMessageMinutes') ?? 15];
  if (mayAssist && typeof grace === 'number' && typeof alarm === 'number' && grace >= alarm * 60) {
    const why = `a key that waits for so long raises the alarm of monitoring.oldestMessageMinutes (${alarm})`;
    problems.push({ path: ['graceSeconds'], says: `is ${grace}, and ${why}: make it less than ${alarm * 60}` });
  }
  const isIrsa = at('bridge', 'identity') === 'irsa';
  const provider = ['bridge', 'oidcProviderArn'];
  if (isIrsa && at(...provider) === undefined) {
    problems.push({ path: provider, says: 'is missing: with `identity: irsa` it is needed' });
  }
  if (!isIrsa && at(...provider) !== undefined) {
    problems.push({ path: provider, says: 'is used with `identity: irsa` only: set that, or remove this line' });
  }
  const [bus, region] = [at('audit', 'bus'), at('region')];
  const [, busRegion] = /^arn:[^:]*:events:([^:]+):/.exec(String(bus)) ?? [];
  if (busRegion !== undefined && busRegion !== region) {
    const says = `is in ${busRegion}, and PutEvents goes to a bus of its own region: name one of ${region}, with a rule there that sends on`;
    problems.push({ path: ['audit', 'bus'], says });
  }
  const names = [at('queues', 'volumes'), at('queues', 'claims')];
  if (names[0] !== undefined && names[0] === names[1]) {
    problems.push({
      path: ['queues', 'claims'],
      says: `is ${show(names[1])} as queues.volumes is: give it another name`,
    });
  }
  for (const [variable, value] of Object.entries(record(at('settings')))) {
    if (typeof value !== 'string' && typeof value !== 'number') continue; // the schema's problem
    const says = problemOfSetting(variable, String(value));
    if (says !== undefined) problems.push({ path: ['settings', variable], says });
  }
  return problems;
}

/** `vpc.subnetIds[0]`. */
export function formatPath(path: Path): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${shorten(String(part))}`));
  return parts.join('').replace(/^\./, '');
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return meant === undefined ? `is unknown; here may be: ${known.join(', ')}` : `is unknown: did you mean ${meant}?`;
}

function wrongValue(path: Path, value: unknown): string {
  const { values, repair } = meaningAt(path);
  if (value === undefined) return `is missing: it must be ${values}`;
  const hint = repair === undefined || typeof value !== 'string' ? '' : `; write ${repair(value)}`;
  return `must be ${values}, got ${show(value)}${hint}`;
}

/** Of the field, or of the one that it is a part of, as with an element of a list. */
function meaningAt(path: Path): FieldMeaning {
  const schema = schemaAt(path);
  const own = schema && MEANINGS.get(schema);
  if (own !== undefined) return own;
  const keys = schema === undefined ? [] : keysAt(path);
  if (keys.length > 0) return { values: `a group of fields (${keys.join(', ')})`, meaning: '' };
  return path.length === 0 ? { values: 'valid', meaning: '' } : meaningAt(path.slice(0, -1));
}

function show(value: unknown): string {
  if (value === null) return 'nothing';
  return shorten(JSON.stringify(typeof value === 'string' ? withoutUser(value) : value));
}

/** Long texts are not quoted: they would hide the message, and what was pasted by mistake may be a secret. */
function shorten(text: string): string {
  return text.length > 100 ? `${text.length} characters` : text;
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => record(value)[String(part)], data);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
