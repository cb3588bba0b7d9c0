/**
 * `npm run audit:check`: known vulnerabilities of what is deployed, as the npm registry knows them. Fails for one that is
 * not accepted below. What is passed on goes to npm, such as `-- --registry URL` (docs/decisions/024-supply-chain.md).
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A known vulnerability that does not matter here. */
export interface Accepted {
  /** Such as GHSA-xxxx-xxxx-xxxx. */
  readonly id: string;
  /** Why it cannot be reached, or what is waited for. */
  readonly why: string;
}

/** None at present. Remove an entry as soon as the advisory is no longer reported: the check demands it. */
const ACCEPTED: readonly Accepted[] = [];

/** What the audit came to, in lines for people. */
export interface Verdict {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly lines: readonly string[];
}

interface Advisory {
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly severity: string;
  readonly range: string;
}

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (Advisory | string)[] }>>;
  readonly metadata?: { readonly dependencies: { readonly prod: number } };
  /** Of a registry that was not reached, or that refused the question; `statusCode` is there when it answered. */
  readonly message?: string;
  readonly statusCode?: number;
}

/** Answers of a registry that has no such service, as most mirrors: asking again is useless. */
const NO_SUCH_SERVICE = [404, 405, 501];

/**
 * @param report what `npm audit --json` printed.
 * @param isCi whether a registry that cannot be reached is a failure. One that does not answer audits never is: nothing in
 *   this project could mend it, so it is skipped, and said.
 */
export function verdictOn(report: string, accepted: readonly Accepted[], isCi: boolean): Verdict {
  const { vulnerabilities, metadata, message = 'npm audit printed no report', statusCode } = parse(report);
  if (vulnerabilities === undefined || metadata === undefined) {
    const hasNoService = statusCode !== undefined && NO_SUCH_SERVICE.includes(statusCode);
    const why = hasNoService ? `this registry does not answer audits (${message})` : `no answer (${message})`;
    const says = `known vulnerabilities: NOT CHECKED: ${why}; \`-- --registry URL\` asks another one`;
    return { outcome: isCi && !hasNoService ? 'failed' : 'skipped', lines: [says] };
  }
  const found = new Map(
    Object.values(vulnerabilities)
      .flatMap(({ via }) => via.filter((cause) => typeof cause !== 'string'))
      .map((advisory) => [advisory.url.split('/').at(-1) ?? advisory.url, advisory]),
  );
  const unexpected = [...found].filter(([id]) => !accepted.some((entry) => entry.id === id));
  const stale = accepted.filter(({ id }) => !found.has(id));
  const lines = [
    ...accepted.filter(({ id }) => found.has(id)).map(({ id, why }) => `accepted: ${id}: ${why}`),
    ...stale.map(({ id }) => `${id} is accepted and no longer reported: remove it from scripts/check-audit.ts`),
    ...unexpected.map(([id, { name, range, severity, title }]) => `${severity}: ${name} ${range}: ${title} (${id})`),
    `known vulnerabilities: ${unexpected.length} that are not accepted, in ${metadata.dependencies.prod} packages of run time`,
  ];
  return { outcome: unexpected.length + stale.length > 0 ? 'failed' : 'passed', lines };
}

/** @param options for npm. @returns what it printed. */
export function askRegistry(options: readonly string[]): string {
  const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=1', ...options], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return stdout;
}

function parse(report: string): Report {
  try {
    return JSON.parse(report) as Report;
  } catch {
    return {};
  }
}

if (import.meta.main) {
  const { outcome, lines } = verdictOn(askRegistry(process.argv.slice(2)), ACCEPTED, process.env['CI'] === 'true');
  for (const line of lines) console.log(line);
  process.exitCode = outcome === 'failed' ? 1 : 0;
}
