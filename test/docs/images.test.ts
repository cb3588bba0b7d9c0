/** How docs/images are made: which browser is taken, what it is asked for, and what is in the pictures. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Chromium, findChromium, NoChromiumError } from '../../scripts/docs/chromium.ts';
import { sampleReport } from '../../scripts/docs/doctor-sample.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function program(name: string, text = ''): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

/** Answers each command as a browser does, and writes down what it was asked and started with. */
const BROWSER = `#!${process.execPath}
const fs = require('node:fs');
const note = (line) => fs.appendFileSync(__dirname + '/asked', line + '\\n');
note(process.argv.slice(2).find((option) => option.startsWith('--user-data-dir=')));
const results = {
  'Target.createTarget': { targetId: 't' },
  'Target.attachToTarget': { sessionId: 's' },
  'Page.getFrameTree': { frameTree: { frame: { id: 'f' } } },
  'Page.captureScreenshot': { data: Buffer.from('a picture').toString('base64') },
};
let text = '';
fs.createReadStream('', { fd: 3 }).on('data', (chunk) => {
  const parts = (text + chunk).split('\\0');
  text = parts.pop();
  for (const part of parts) {
    const { id, method, params } = JSON.parse(part);
    note(method + ' ' + JSON.stringify(params));
    if (params.html === 'ends') process.exit(3);
    const answer = params.html === 'fails' ? { error: { message: 'no such frame' } } : { result: results[method] ?? {} };
    fs.writeSync(4, JSON.stringify({ method: 'An.event' }) + '\\0' + JSON.stringify({ id, ...answer }) + '\\0');
  }
});
`;

describe('the browser', () => {
  test('is the one that CHROMIUM names, else the first on PATH', async () => {
    const [named, found] = [await program('mine'), await program('google-chrome')];
    expect(findChromium({ CHROMIUM: named, PATH: folder })).toBe(named);
    expect(findChromium({ CHROMIUM: '', PATH: `/nowhere:${folder}` })).toBe(found);
    const first = await program('chromium');
    expect(findChromium({ PATH: folder })).toBe(first);
  });

  test('that is not there is told, with what to do', () => {
    expect(() => findChromium({ PATH: folder })).toThrow(/no Chromium on PATH.*apt-get install chromium.*CHROMIUM/);
    expect(() => findChromium({})).toThrow(NoChromiumError);
    expect(() => findChromium({ CHROMIUM: join(folder, 'none'), PATH: folder })).toThrow('none is no program');
  });

  test('that is not there ends the script with 2, and no picture is touched', () => {
    const before = readFileSync('docs/images/doctor-light.png');
    const env = { ...process.env, PATH: folder, CHROMIUM: '' };
    const { status, stderr } = spawnSync(process.execPath, ['scripts/docs/images.ts'], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('no Chromium on PATH') });
    expect(readFileSync('docs/images/doctor-light.png').equals(before)).toBe(true);
  });
});

describe('a picture', () => {
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8');

  test('is of the page in the size and the colours that are wanted; nothing is left behind', async () => {
    const chromium = await Chromium.start(await program('chromium', BROWSER));
    const picture = await chromium.shoot('<p>page</p>', { width: 400, height: 1_250, scheme: 'dark' });
    await chromium.stop();

    expect(picture.toString()).toBe('a picture');
    expect(asked()).toContain('"width":400,"height":1250');
    expect(asked()).toContain('[{"name":"prefers-color-scheme","value":"dark"}]');
    expect(asked()).toContain('Page.setDocumentContent {"frameId":"f","html":"<p>page</p>"}');
    const profile = /--user-data-dir=(.*)/.exec(asked())?.[1] ?? '';
    expect(profile).toMatch(/chromium-/);
    expect(existsSync(profile)).toBe(false);
  });

  test.each([
    ['fails', 'Chromium: no such frame'],
    ['ends', 'Chromium ended with code 3'],
  ])('of a browser that %s is an error', async (html, message) => {
    const chromium = await Chromium.start(await program('chromium', BROWSER));
    await expect(chromium.shoot(html, { width: 400, height: 400, scheme: 'light' })).rejects.toThrow(message);
    await chromium.stop();
  });
});

test('the sample is the same each time, and has what the pictures show', async () => {
  const report = await sampleReport();
  expect(report).toEqual(await sampleReport());
  expect([report.volumes.total, report.claims.total]).toEqual([2_080, 1_917]);
  const counts = Object.fromEntries(report.groups.map(({ cause, findings }) => [cause, findings.length]));
  expect(counts).toEqual({
    misbound: 1,
    'volume-gone': 1,
    retained: 142,
    'class-missing': 12,
    'deleter-silent': 54,
    'no-static-volume': 17,
    'recycle-failed': 1,
    'waits-for-consumer': 35,
    'terminating-bound': 1,
    'waits-for-deleter': 6,
  });
  expect(report.unjudged).toEqual([]);
});
