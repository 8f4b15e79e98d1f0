import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unary, type Channel } from './workflow-client.ts';

const method = { path: '/x', requestSerialize: () => Buffer.alloc(0), responseDeserialize: () => undefined };

test('no call waits forever for a server that accepts it and does not answer', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let answer: (error: Error) => void = () => undefined;
  const makeUnaryRequest = (...given: unknown[]) => {
    answer = given[5] as typeof answer;
    return { cancel: () => answer(new Error('cancelled')) };
  };
  const called = unary({ makeUnaryRequest } as unknown as Channel, method, { request: {} });
  context.mock.timers.tick(3_600_000);
  const end = await called;
  assert.match('error' in end ? String(end.error) : '', /cancelled/);
});
