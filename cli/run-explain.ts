/** One run of `explain`: reads what the object depends on, and tells the finding. */
import { featuresOf } from '../lib/controller/features.ts';
import { ApiReader } from '../lib/diagnosis/api-reader.ts';
import { diagnose } from '../lib/diagnosis/diagnose.ts';
import type { Subject } from '../lib/diagnosis/finding.ts';
import { findingText } from '../lib/diagnosis/text.ts';
import { connectionFrom } from './cluster-options.ts';
import type { Io } from './command.ts';
import type { Values } from './options.ts';
import { type Format, render } from './output.ts';

/** Changes when a field changes its meaning or goes. */
const SCHEMA = 'pv-controller.serverless/finding/v1';

export interface ExplainOrder {
  readonly subject: Subject;
  /** --kubeconfig and --context. */
  readonly values: Values;
  readonly format: Format;
}

/**
 * @returns the exit code.
 * @throws ConnectionError or ClusterError when the cluster cannot be read.
 */
export async function runExplain({ subject, values, format }: ExplainOrder, io: Io): Promise<number> {
  const reader = new ApiReader(await connectionFrom(values, io.env), io.signal);
  try {
    const features = featuresOf(await reader.serverVersion());
    const now = io.now();
    const finding = await diagnose(reader, subject, { now, rules: { features } });
    const { colours, width } = io;
    io.out(
      format === 'table'
        ? findingText(finding, { width, colours, now })
        : await render({ schema: SCHEMA, ...finding }, format),
    );
    return finding.cause === 'missing' ? 1 : 0;
  } finally {
    reader.close();
  }
}
