import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineBuffer } from '../../bridge/line-buffer.ts';
import { followLines } from '../../bridge/printed-lines.ts';

const dropped = (count: number) => `dropped ${count}`;
const HOUR_MS = 3_600_000;

function sizesOf(buffer: LineBuffer): { lines: number; bytes: number }[] {
  const sizes: { lines: number; bytes: number }[] = [];
  while (buffer.size > 0) {
    const batch = buffer.take();
    sizes.push({
      lines: batch.length,
      bytes: batch.reduce((sum, { message }) => sum + Buffer.byteLength(message) + 26, 0),
    });
  }
  return sizes;
}

describe('LineBuffer', () => {
  it('gives out batches of 10,000 lines at most', () => {
    const buffer = new LineBuffer(dropped);
    for (let index = 0; index < 10_001; index++) buffer.add('line', index);
    expect(sizesOf(buffer).map(({ lines }) => lines)).toEqual([10_000, 1]);
  });

  it('gives out batches of 1 MiB at most, counted in UTF-8 and with the API’s 26 bytes for each line', () => {
    const buffer = new LineBuffer(dropped);
    // 8 lines of 131,046 + 26 bytes are exactly 1 MiB.
    for (let index = 0; index < 9; index++) buffer.add('é'.repeat(65_523), index);
    expect(sizesOf(buffer)).toEqual([
      { lines: 8, bytes: 1_048_576 },
      { lines: 1, bytes: 131_072 },
    ]);
  });

  it('gives out less than 24 hours at once', () => {
    const buffer = new LineBuffer(dropped);
    for (const hours of [0, 23, 24, 25]) buffer.add(`hour ${hours}`, hours * HOUR_MS);
    expect([buffer.take(), buffer.take()].map((batch) => batch.map(({ message }) => message))).toEqual([
      ['hour 0', 'hour 23'],
      ['hour 24', 'hour 25'],
    ]);
  });

  it('sorts a batch by time, and leaves lines of one moment in their order', () => {
    const buffer = new LineBuffer(dropped);
    for (const [message, time] of [
      ['c', 2],
      ['a', 1],
      ['b', 1],
    ] as const)
      buffer.add(message, time);
    expect(buffer.take().map(({ message }) => message)).toEqual(['a', 'b', 'c']);
  });

  it('cuts a line that is too long between two characters', () => {
    const buffer = new LineBuffer(dropped);
    buffer.add(`a${'é'.repeat(200_000)}`, 1);
    const [line] = buffer.take();
    expect(Buffer.byteLength(line?.message ?? '')).toBeLessThanOrEqual(256 * 1024 - 26);
    expect(line?.message).toMatch(/^aé{131000,}…$/);
  });

  it('leaves out blank lines, which the API refuses', () => {
    const buffer = new LineBuffer(dropped);
    for (const line of ['', ' ', '\t']) buffer.add(line, 1);
    expect(buffer.take()).toEqual([]);
  });

  it('keeps the newest lines within its bound', () => {
    const buffer = new LineBuffer(dropped, 3_000);
    for (let index = 0; index < 500; index++) buffer.add(`${index}`.padStart(4, '0'), index);
    const [told, ...kept] = buffer.take();
    expect(told?.message).toBe(`dropped ${500 - kept.length}`);
    expect(kept.at(-1)?.message).toBe('0499');
    expect(kept.length).toBeGreaterThanOrEqual(Math.floor((3_000 * 0.9) / 30));
    expect(kept.length).toBeLessThanOrEqual(100);
  });
});

describe('followLines', () => {
  function printed(...writes: (string | Buffer)[]): { told: string[]; out: string } {
    const stream = new PassThrough();
    const told: string[] = [];
    const lines = followLines([stream as unknown as NodeJS.WriteStream], (line) => told.push(line));
    for (const chunk of writes) stream.write(chunk);
    lines.print('not told');
    lines.stop();
    stream.write('after\n');
    return { told, out: stream.read().toString() };
  }

  it('tells whole lines, wherever they are cut, and prints everything', () => {
    expect(printed('one\ntw', 'o\n', 'three\n\nfour')).toEqual({
      told: ['one', 'two', 'three', ''],
      out: 'one\ntwo\nthree\n\nfournot told\nafter\n',
    });
  });

  it('puts a character together that was cut in two', () => {
    const [first, second] = [Buffer.from('é\n').subarray(0, 1), Buffer.from('é\n').subarray(1)];
    expect(printed(first, second).told).toEqual(['é']);
  });
});
