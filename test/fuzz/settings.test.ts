/** PV_* settings: from whoever deploys, and from what they paste by mistake. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endpointProblem, queueUrlProblem } from '../../lib/addresses.ts';
import { ConfigError, readConfig } from '../../lib/config.ts';
import { SETTINGS, type Setting } from '../../lib/settings.ts';
import { anyText, damaged, KIBIBYTE } from './hostile.ts';
import { messageIn, outcomeOf, valueIn } from './outcome.ts';
import { inTime, runs } from './runs.ts';
import { leaksIn, SECRET } from './secrets.ts';

const ALL = Object.entries(SETTINGS as Record<string, Setting<unknown>>);
const VARIABLES = ALL.map(([, { variable }]) => variable);
const setting = fc.constantFrom(...ALL);

test('any text is a value of its type or a short ConfigError that names the variable', () => {
  const value = fc.oneof(
    anyText,
    fc.integer().map(String),
    fc.constantFrom('1e3', '0x10', '٣', '+5', ' 5', '5 ', '1_0'),
  );
  fc.assert(
    fc.property(setting, value, ([key, { variable, default: preset }], text) => {
      const outcome = outcomeOf(() => readConfig({ [variable]: text }), ConfigError);
      const config = valueIn(outcome) as Record<string, unknown> | undefined;
      if (config === undefined) {
        expect(messageIn(outcome).startsWith(`${variable}: `)).toBe(true);
        expect(messageIn(outcome).length).toBeLessThan(700);
        // Nothing that forges a line.
        expect([...messageIn(outcome)].every((character) => character >= ' ')).toBe(true);
      } else {
        expect(typeof config[key]).toBe(typeof preset);
        // As it was written; a number in digits.
        expect(String(config[key])).toBe(
          text === '' ? String(preset) : typeof preset === 'number' ? String(Number(text)) : text,
        );
      }
    }),
    runs(),
  );
});

test('what was read can be read again: the same configuration comes out', () => {
  const values = fc.array(fc.tuple(fc.constantFrom(...VARIABLES), anyText), { maxLength: 5 });
  fc.assert(
    fc.property(values, (entries) => {
      const config = valueIn(outcomeOf(() => readConfig(Object.fromEntries(entries)), ConfigError));
      fc.pre(config !== undefined);
      const again = ALL.map(([key, { variable }]) => [variable, String((config as Record<string, unknown>)[key])]);
      expect(readConfig(Object.fromEntries(again))).toEqual(config);
    }),
    runs(),
  );
});

describe('a password in a URL is not quoted', () => {
  const urls = VARIABLES.filter((variable) => /URL|ENDPOINT/.test(variable));
  const parts = fc.record({
    scheme: fc.constantFrom('https://', 'http://', 'https:', 'https:/', 'https:\\\\', 'HTTPS://', 'ftp://', '//', ''),
    user: fc.constantFrom('me:', 'me:x/', 'me: ', ':', 'a@b:', 'me:\t'),
    at: fc.constantFrom('@', '@@', '%40', '@me:x@'),
    host: fc.constantFrom('sqs.eu-central-1.amazonaws.com', 'host:bad', '', '127.0.0.1', '[::1]'),
    path: fc.constantFrom('/1/volumes.fifo', '', '/x?y=z', '/1/volumes'),
  });
  const shapes = [
    ['https:', 'me:', '@', 'host', ''],
    ['https://', 'me:x/', '@', 'host', ''],
    ['https://', 'me: ', '@', 'host', ''],
    ['https://', 'me:', '%40', 'host', ''],
  ] as const;
  test.each(urls)('%s', (variable) => {
    fc.assert(
      fc.property(parts, ({ scheme, user, at, host, path }) => {
        const text = `${scheme}${user}${SECRET.password}${at}${host}${path}`;
        expect(leaksIn(messageIn(outcomeOf(() => readConfig({ [variable]: text }), ConfigError)))).toEqual([]);
      }),
      {
        ...runs(),
        examples: shapes.map(([scheme, user, at, host, path]) => [{ scheme, user, at, host, path }]) as never,
      },
    );
  });
});

describe('a URL that is taken', () => {
  const valid = 'https://sqs.eu-central-1.amazonaws.com/123456789012/volumes.fifo';
  const text = fc.oneof(
    anyText,
    damaged(valid),
    damaged(valid).chain(damaged),
    fc.webUrl({ withQueryParameters: true }),
  );
  test('is https, or on this machine, and has no user in it', () => {
    fc.assert(
      fc.property(text, (candidate) => {
        for (const problem of [queueUrlProblem(candidate), endpointProblem(candidate)]) {
          if (problem !== undefined) continue;
          const { protocol, hostname, username, password } = new URL(candidate);
          expect([username, password]).toEqual(['', '']);
          if (protocol !== 'https:') expect(hostname).toMatch(/^(\[::1\]|127\.[\d.]+|(.*\.)?localhost)$/);
        }
      }),
      { ...runs(), examples: [[valid], ['http://localhost:4566/q.fifo'], ['http://localhost.evil.com/q.fifo']] },
    );
  });
});

test.each(VARIABLES)('%s of 100 KiB takes no time and is not quoted in full', async (variable) => {
  const parts = ['a', '-', '.', '/', '1', 'a.', '@', ' ', '=', 'https://a', 'localhost.'];
  for (const text of parts.map((part) => part.repeat((100 * KIBIBYTE) / part.length))) {
    for (const whole of [text, `http://${text}!`, `arn:aws:sqs:${text}`]) {
      const outcome = await inTime(() => outcomeOf(() => readConfig({ [variable]: whole }), ConfigError));
      expect(messageIn(outcome).length).toBeLessThan(700);
    }
  }
});
