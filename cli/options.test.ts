import { describe, expect, it } from 'vitest';
import { helpOf, type Options, parseOptions, parseWords, textOf, UsageError } from './options.ts';

const OPTIONS: Options = {
  output: { type: 'string', short: 'o', value: 'FORMAT', oneOf: ['table', 'json'], help: 'table (default) or json' },
  yes: { type: 'boolean', help: 'do it' },
};

describe('a command line', () => {
  it('has options and arguments in any order', () => {
    const { values, positionals } = parseWords(['pv/one', '-o', 'json', '--yes'], OPTIONS, 1);
    expect(positionals).toEqual(['pv/one']);
    expect(textOf(values, 'output')).toBe('json');
    expect(values['yes']).toBe(true);
    expect(textOf(values, 'yes')).toBeUndefined();
  });

  it.each([
    [['--nope'], /'--nope'/],
    [['--output'], /--output/],
    [['--output', 'xml'], '--output: "xml" is none of table, json'],
    [['one', 'two'], 'unexpected argument "two"'],
    [['--yes=no'], /--yes/],
  ])('of %j is refused', (argv, message) => {
    expect(() => parseWords(argv, OPTIONS, 1)).toThrow(message);
    expect(() => parseWords(argv, OPTIONS, 1)).toThrow(UsageError);
  });

  it('without arguments takes none', () => {
    expect(() => parseOptions(['stray'], OPTIONS)).toThrow(UsageError);
  });
});

it('the help lists every option with its letter, its value and what it does', () => {
  expect(helpOf('program', 'About it.', OPTIONS)).toBe(
    [
      'Usage: program [options]',
      '',
      'About it.',
      '',
      '  -o, --output FORMAT  table (default) or json',
      '  --yes                do it',
      '  -h, --help           this text',
      '',
    ].join('\n'),
  );
});
