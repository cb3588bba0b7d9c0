import { describe, expect, test } from 'vitest';
import * as errors from './errors.ts';

describe('errors', () => {
  test.each([
    errors.ClusterError,
    errors.ConflictError,
    errors.AlreadyExistsError,
    errors.NotFoundError,
    errors.AmbiguousError,
    errors.OperationError,
    errors.StateError,
  ])('of a class have its name: $name', (kind) => {
    expect(new kind('no').name).toBe(kind.name);
    expect(new errors.ThrottledError('429', { code: 429 }).name).toBe('ThrottledError');
  });

  test('of the cluster say what the server said, and by what they were caused', () => {
    const cause = new Error('cut');
    const error = new errors.ClusterError('no', { code: 409, reason: 'Conflict', cause });
    expect(error).toMatchObject({ code: 409, reason: 'Conflict', cause });
    const bare = new errors.ClusterError('no');
    expect(bare).toMatchObject({ code: 0, reason: '' });
    expect('cause' in bare).toBe(false);
  });

  test('are looked for among nine causes of causes, and no further', () => {
    const under = (depth: number) => {
      let error: Error = new errors.OperationError('first');
      for (let i = 0; i < depth; i++) error = new Error('on top', { cause: error });
      return error;
    };
    expect(errors.findCause(under(0), errors.OperationError)?.message).toBe('first');
    expect(errors.findCause(under(9), errors.OperationError)?.message).toBe('first');
    expect(errors.findCause(under(10), errors.OperationError)).toBeUndefined();
  });
});
