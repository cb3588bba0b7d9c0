/**
 * Run as a process of its own, so that its processor time and memory are its own: the queues, the bridge, or the workers.
 * Each loads only what it needs. It answers what the parent asks.
 */
import type { Part, ProcessCounts, ProcessSettings, Question } from './settings.ts';

const settings = JSON.parse(process.env['BENCH_PROCESS'] ?? '{}') as ProcessSettings;
process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
// Should the parent die, nobody is left to stop us.
process.once('disconnect', () => process.exit());

const part = await start();

async function start(): Promise<Part> {
  if (settings.role === 'queue') return await (await import('./queue.ts')).startQueue();
  if (settings.role === 'bridge') return await (await import('./bridge.ts')).startBridge(settings);
  return (await import('./workers.ts')).startWorkers(settings);
}

async function answer(question: Question): Promise<unknown> {
  if (question === 'idle') return await part.idle?.();
  if (question === 'resync') return await part.resync?.();
  if (question === 'stop') return await part.stop();
  // Twice: what the first collection finds to be dead may hold more.
  if (question === 'collected') for (let round = 0; round < 2; round++) globalThis.gc?.();
  const { sent = () => 0, received = () => 0 } = part;
  const counts: ProcessCounts = { sent: sent(), received: received(), heapBytes: process.memoryUsage().heapUsed };
  return counts;
}

process.on('message', async ({ id, question }: { id: number; question: Question }) => {
  try {
    process.send?.({ id, value: await answer(question) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
  if (question === 'stop') process.disconnect();
});
process.send?.({ ready: part.ready });
