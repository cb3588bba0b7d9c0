/** The threat model's table: each line is shown by something that is there, and lines that nothing else shows. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { testServer } from '../../lib/cluster/testing/http-server.ts';
import { readPage, root } from '../docs/pages.ts';

afterEach(() => vi.unstubAllEnvs());

/** The rows of the section "Threats", by what could happen. */
function rows(): (readonly [threat: string, shownBy: string])[] {
  const { text } = readPage('docs/threat-model.md');
  const threats = text.slice(text.indexOf('\n## Threats'), text.indexOf('\n## Residual'));
  const lines = threats.split('\n').filter((line) => /^\| (?!What could|-)/.test(line));
  return lines.map((line) => {
    const [, threat = '', , shownBy = ''] = line
      .split(' | ')
      .flatMap((cell) => cell.split('|').map((part) => part.trim()));
    return [threat, shownBy];
  });
}

/** Tests, scenarios that a test runs, and checks; `npm run` with the rule's file. */
const FILES = /`((?:test|lib|local|infra|scripts)\/[\w./-]+\.ts)`/g;

describe('each line of the threat model', () => {
  test.each(rows())('%s', (_, shownBy) => {
    const files = [...shownBy.matchAll(FILES)].map(([, path = '']) => path);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    // Where there can be no test, the line says why.
    if (files.length === 0) expect(shownBy).toMatch(/^none: \w/);
  });

  test('is read from the page', () => {
    expect(rows().length).toBeGreaterThan(30);
    expect(rows().every(([threat, shownBy]) => threat !== '' && shownBy !== '')).toBe(true);
  });
});

describe('the container does not act as its node', () => {
  /** Whether the instance's metadata were asked for credentials. */
  async function asksForMetadata(variables: Readonly<Record<string, string>>): Promise<boolean> {
    const metadata = await testServer((_, response) => response.writeHead(404).end());
    const cleared = Object.keys(process.env).filter((name) => name.startsWith('AWS_'));
    for (const name of cleared) vi.stubEnv(name, undefined);
    const none = join(root, 'does-not-exist');
    const files = { AWS_CONFIG_FILE: none, AWS_SHARED_CREDENTIALS_FILE: none };
    const endpoint = { AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url };
    for (const [name, value] of Object.entries({ ...files, ...endpoint, ...variables })) vi.stubEnv(name, value);
    await expect(defaultProvider({ maxRetries: 0 })()).rejects.toThrow();
    await metadata.close();
    return metadata.received.length > 0;
  }

  test('with the variables of its manifest; without them it would', async () => {
    const { spec } = parse(readPage('infra/kubernetes/bridge/deployment.yaml').text);
    const [{ env }] = spec.template.spec.containers as [{ env: { name: string; value: string }[] }];
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));

    expect(await asksForMetadata(variables)).toBe(false);
    expect(await asksForMetadata({})).toBe(true);
  });
});
