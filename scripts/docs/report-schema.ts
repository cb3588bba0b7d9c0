/** docs/doctor-report.schema.json: the fields of `pv-controller doctor -o json`. */
import * as z from 'zod';
import { ReportSchema } from '../../lib/doctor/report-schema.ts';

/** JSON Schema, draft 2020-12. */
export function reportSchema(): string {
  const schema = z.toJSONSchema(ReportSchema, { io: 'output' });
  return `${JSON.stringify({ ...schema, title: 'Report of pv-controller doctor, version 1' }, undefined, 2)}\n`;
}
