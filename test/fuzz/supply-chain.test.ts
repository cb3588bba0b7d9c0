/** The checks of what is deployed: that they find a vulnerability and a licence when there is one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { testServer } from '../../lib/cluster/testing/http-server.ts';
import { verdictOn } from '../../scripts/check-audit.ts';
import { isAllowed, licenceProblems, type Package, runtimePackages } from '../../scripts/check-licences.ts';

describe('known vulnerabilities', () => {
  const advisory = {
    name: 'zod',
    title: 'it is bad',
    url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
    severity: 'high',
    range: '<99',
  };
  const report = (via: readonly unknown[]) =>
    JSON.stringify({ vulnerabilities: { zod: { via } }, metadata: { dependencies: { prod: 7 } } });
  const accepted = [{ id: 'GHSA-aaaa-bbbb-cccc', why: 'it is not reached' }];

  test('fail the check with package, range and number, and pass once they are accepted', () => {
    const found = verdictOn(report([advisory, 'another-package']), [], false);
    expect(found.outcome).toBe('failed');
    expect(found.lines).toContain('high: zod <99: it is bad (GHSA-aaaa-bbbb-cccc)');
    const passed = verdictOn(report([advisory]), accepted, true);
    expect(passed.outcome).toBe('passed');
    expect(passed.lines).toContain('accepted: GHSA-aaaa-bbbb-cccc: it is not reached');
  });

  test('that are no longer reported must not stay accepted', () => {
    expect(verdictOn(report([]), [], true).outcome).toBe('passed');
    expect(verdictOn(report([]), accepted, true)).toMatchObject({
      outcome: 'failed',
      lines: [/remove it/, /0 that/].map((says) => expect.stringMatching(says)),
    });
  });

  test.each([
    ['a registry without that service', JSON.stringify({ message: '405', statusCode: 405 }), 'skipped', 'skipped'],
    ['a registry that is not reached', JSON.stringify({ message: 'ECONNREFUSED' }), 'skipped', 'failed'],
    ['a registry that is broken', JSON.stringify({ message: '500', statusCode: 500 }), 'skipped', 'failed'],
    ['no report', '', 'skipped', 'failed'],
  ] as const)('of %s are not taken for none', (_, printed, here, inCi) => {
    expect(verdictOn(printed, [], false).outcome).toBe(here);
    expect(verdictOn(printed, [], true).outcome).toBe(inCi);
    expect(verdictOn(printed, [], true).lines.join()).toContain('NOT CHECKED');
  });

  test('are asked of the registry with npm itself', async () => {
    const registry = await testServer((request, response) => {
      const found = { zod: [{ ...advisory, id: 1, vulnerable_versions: advisory.range, cwe: [], cvss: { score: 7 } }] };
      response.writeHead(request.method === 'POST' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found));
    });
    const check = [process.execPath, 'scripts/check-audit.ts', '--registry', registry.url] as const;
    const { code, stdout } = await promisify(execFile)(check[0], check.slice(1)).catch((error) => error);
    await registry.close();
    expect(stdout).toContain('GHSA-aaaa-bbbb-cccc');
    expect(code).toBe(1);
    expect(registry.received.some(({ url }) => url.endsWith('/security/advisories/bulk'))).toBe(true);
  });
});

describe('licences', () => {
  const packages = runtimePackages();

  test('of all packages of run time are allowed', () => {
    expect(packages.length).toBeGreaterThan(0);
    expect(
      licenceProblems(
        packages,
        packages.map(({ path }) => path),
      ),
    ).toEqual([]);
  });

  test('of development are not asked', () => {
    expect(packages.map(({ name }) => name)).not.toContain('vitest');
    expect(packages.map(({ name }) => name)).toContain('zod');
  });

  test('that are unknown, and bundled packages that are none of run time, are problems', () => {
    const odd: Package = { path: 'node_modules/odd', name: 'odd', version: '1.0.0', licence: 'GPL-3.0-only' };
    const problems = licenceProblems([odd, { ...odd, licence: '' }], ['node_modules/odd', 'node_modules/vitest']);
    expect(problems).toEqual([
      'odd 1.0.0: GPL-3.0-only is not allowed',
      'odd 1.0.0: no licence is not allowed',
      'node_modules/vitest is bundled and not a package of run time',
    ]);
  });

  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['GPL-3.0-only OR (MIT AND ISC)', true],
    ['MIT AND GPL-3.0-only', false],
    ['(MIT OR GPL-3.0-only) AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['mit', false],
    ['SEE LICENSE IN LICENSE', false],
    ['UNLICENSED', false],
    ['', false],
  ])('%j: %j', (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected);
  });
});
