import { describe, expect, it } from 'vitest';
import { Token } from './token.ts';

describe('Token', () => {
  it('gives the present token for an older one that was refused, and renews nothing', async () => {
    const asked: boolean[] = [];
    const token = new Token(async (renew = false) => {
      asked.push(renew);
      return renew ? 'renewed' : 'present';
    });
    expect(await token.renew('old')).toBe('present');
    expect(asked).toEqual([false]);
    expect(await token.renew('present')).toBe('renewed');
  });
});
