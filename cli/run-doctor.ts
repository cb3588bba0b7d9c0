/** One run of `doctor`: reads the cluster, diagnoses, and writes the report where it is wanted. */
import { writeFile } from 'node:fs/promises';
import type { Connection } from '../lib/cluster/connection.ts';
import { messageOf } from '../lib/controller/errors.ts';
import { featuresOf } from '../lib/controller/features.ts';
import { STANDARD_MIGRATION } from '../lib/controller/migration.ts';
import { PluginRegistry } from '../lib/controller/plugins.ts';
import { ApiReader } from '../lib/diagnosis/api-reader.ts';
import { diagnose } from '../lib/diagnosis/diagnose.ts';
import { confirm } from '../lib/doctor/confirm.ts';
import { examine } from '../lib/doctor/examine.ts';
import { reportHtml } from '../lib/doctor/html.ts';
import { listsOf } from '../lib/doctor/list-all.ts';
import { buildReport } from '../lib/doctor/report.ts';
import type { Report } from '../lib/doctor/report-schema.ts';
import { takeSnapshot } from '../lib/doctor/snapshot.ts';
import { reportText } from '../lib/doctor/text.ts';
import { exitCodeOf, type Threshold } from '../lib/doctor/verdict.ts';
import { connectionFrom } from './cluster-options.ts';
import type { Io } from './command.ts';
import { UsageError, type Values } from './options.ts';
import { type Format, render } from './output.ts';
import { Progress } from './progress.ts';

export interface DoctorOrder {
  /** --kubeconfig and --context. */
  readonly values: Values;
  readonly format: Format;
  /** File for the page. */
  readonly html: string | undefined;
  readonly top: number;
  readonly failOn: Threshold;
}

/** Which objects are settled is asked without plugins: what they would do is for a diagnosis to say. */
const RULES = {
  migration: STANDARD_MIGRATION,
  settings: { dynamicProvisioning: true, createVolumeAttempts: 1, createVolumeIntervalMs: 0, poolMaxAgeMs: 0 },
  plugins: new PluginRegistry(),
};

/**
 * @returns the exit code.
 * @throws ConnectionError or ClusterError when there is nothing to report.
 */
export async function runDoctor({ values, format, html, top, failOn }: DoctorOrder, io: Io): Promise<number> {
  const connection = await connectionFrom(values, io.env);
  const report = await reportOn(connection, io);
  if (html !== undefined) await writePage(html, report);
  const { colours, width } = io;
  io.out(format === 'table' ? reportText(report, { colours, width, top }) : await render(report, format));
  if (html !== undefined) io.err(`wrote ${html}\n`);
  return exitCodeOf(report, failOn);
}

async function reportOn(connection: Connection, io: Io): Promise<Report> {
  const { signal } = io;
  const lists = listsOf(connection, signal);
  const live = new ApiReader(connection, signal);
  const progress = new Progress((line) => io.err(`${line}\n`));
  try {
    const version = await live.serverVersion();
    const features = featuresOf(version);
    const snapshot = await takeSnapshot(lists.listAll, (count) => progress.set(`read ${count} objects`));
    const now = io.now();
    const options = { now, volumes: snapshot.volumes, maxCandidates: 0, rules: { features } };
    const found = await examine(snapshot, { ...RULES, features }, (subject) => diagnose(snapshot, subject, options), {
      signal,
      onProgress: (done, total) => progress.set(`looked at ${done} of ${total} objects that are not settled`),
    });
    progress.set('looking again at what may just have come about');
    const confirmed = await confirm(found, (subject) => diagnose(live, subject, options), now);
    signal.throwIfAborted();
    const cluster = { server: connection.server, version: `${version.major}.${version.minor}` };
    return buildReport(snapshot, confirmed, { now, cluster });
  } finally {
    progress.stop();
    live.close();
    lists.close();
  }
}

async function writePage(file: string, report: Report): Promise<void> {
  try {
    await writeFile(file, reportHtml(report));
  } catch (error) {
    throw new UsageError(`--html: ${file} cannot be written: ${messageOf(error)}`);
  }
}
