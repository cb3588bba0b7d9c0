/** The program itself, as `npm run demo` starts it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CHAPTERS } from './chapters/index.ts';
import { WIDTH } from './layout.ts';

const PROGRAM = fileURLToPath(new URL('../demo.ts', import.meta.url));

/** No PATH and no home: Node alone must do. */
function demo(...options: string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string; errors: string }>();
  const child = execFile(process.execPath, [PROGRAM, ...options], { env: {} }, (error, output, errors) =>
    resolve({ code: error === null ? 0 : error.code, output, errors }),
  );
  return { child, ended: promise };
}

describe.concurrent('npm run demo', () => {
  test('plays the whole story, and every end state is right', { timeout: 90_000 }, async () => {
    const { code, output, errors } = await demo().ended;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/\+ +\d+ ms {2}claim shop\/data +Pending → Bound/);
    expect(output).toContain('✓ claim shop/wiki: Lost, volume disk-wiki');
    expect(output).toMatch(new RegExp(`in all .* ${CHAPTERS.length}/${CHAPTERS.length}\n`));
    // Everything was counted: transitions, messages sent and received, reads, writes and events.
    expect(output).toMatch(/\nin all( +[1-9]\d*){6} /);
    expect(output.replaceAll('\n', ' ')).toMatch(/full resync .* 0 writes/);
    expect(output).not.toContain('✗');
    expect(output).not.toContain('\u001b');
    expect(output.split('\n').filter((line) => [...line].length > WIDTH)).toEqual([]);
  });

  test('plays one chapter, by number', { timeout: 90_000 }, async () => {
    const { code, output } = await demo('--chapter', '2').ended;
    expect(code).toBe(0);
    expect(output).toContain(' 2  The smallest volume that fits\n');
    expect(output).toMatch(/in all .* 1\/1\n/);
  });

  test('refuses a chapter that there is not', async () => {
    const { code, errors } = await demo('--chapter', 'none').ended;
    expect(code).toBe(2);
    expect(errors).toContain('--chapter "none": there are 1 to 11: static,');
  });

  test('explains itself', async () => {
    const { code, output } = await demo('--help').ended;
    expect(code).toBe(0);
    for (const { name } of CHAPTERS) expect(output).toContain(name);
  });

  test('stops at Ctrl-C', { timeout: 90_000 }, async () => {
    const { child, ended } = demo();
    child.stdout?.once('data', () => child.kill('SIGINT'));
    const { code, output } = await ended;
    expect(code).toBe(130);
    expect(output).toMatch(/\nStopped\.\n$/);
  });
});
