/**
 * Goes around the handler of an unpacked zip, in the process that Lambda's emulator starts: says when it was loaded, and
 * what each invocation took. `performance.now()` counts from the start of the process, so the first line is the init time.
 */
import { pathToFileURL } from 'node:url';

const began = performance.now();
const { handler: inner } = await import(pathToFileURL(process.env.BENCH_BUNDLE).href);
const initMs = performance.now();
console.log(JSON.stringify({ benchInit: { initMs, importMs: initMs - began, at: Date.now() } }));

export async function handler(event, context) {
  const before = process.cpuUsage();
  const start = performance.now();
  const answer = await inner(event, context);
  const elapsedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { answer, elapsedMs, cpuMs: (user + system) / 1000, maxRssMb: process.resourceUsage().maxRSS / 1024 };
}
