import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${script}.ts`, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('npm run config', () => {
  it('prints a stage with its defaults', () => {
    const { status, stdout } = run('stage', '--stage', 'example');
    expect([status, stdout]).toEqual([0, expect.stringContaining('maximumConcurrency: 10\n')]);
  });

  it('ends with 1 when the file is not there, and says what to do', () => {
    const { status, stdout, stderr } = run('stage', '--stage', 'nowhere');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'config/nowhere.yml does not exist: copy config/example.yml to it and fill it in, or name another stage than nowhere\n',
    );
  });

  it.each([[[]], [['--stage']], [['--stages', 'x']], [['example']]])(
    'ends with 2 when called with %o',
    (args: string[]) => {
      const { status, stderr } = run('stage', ...args);
      expect([status, stderr]).toEqual([2, expect.stringContaining('Usage: npm run config -- --stage STAGE')]);
    },
  );
});

it.each(['stage', 'package', 'deploy'])('%s helps', (script) => {
  expect(run(script, '--help')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('Usage: npm run'),
  });
});

it.each([['deploy'], ['deploy', 'remove'], ['package']])(
  '%s %s sends nothing for a stage that is not right',
  (script, ...more) => {
    const { status, stderr } = run(script, ...more, '--stage', 'nowhere', '--verbose');
    expect(stderr).toContain(script === 'package' ? "Unknown option '--verbose'" : 'config/nowhere.yml does not exist');
    expect(status).toBe(script === 'package' ? 2 : 1);
  },
);
