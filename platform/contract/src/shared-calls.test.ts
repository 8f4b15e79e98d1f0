import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedCalls } from './shared-calls.ts';

test('one call serves all who ask meanwhile, and the next one begins after it', async () => {
  const calls = new SharedCalls<number>();
  let begun = 0;
  const call = async (): Promise<number> => {
    const number = (begun += 1);
    await new Promise((resolve) => setImmediate(resolve));
    return number;
  };
  const ask = (key: string): Promise<number> => calls.join(key, call);
  const asked = Promise.all([ask('a'), ask('a'), ask('b'), ask('a')]);
  assert.equal([...calls.running()].length, 2);
  assert.deepEqual(await asked, [1, 1, 2, 1]);
  assert.equal([...calls.running()].length, 0);
  assert.equal(await ask('a'), 3);
});

test('all who ask meanwhile hear of a failure, and it is not kept', async () => {
  const calls = new SharedCalls<number>();
  const failing = (): Promise<number> => Promise.reject(new Error('no'));
  const asked = await Promise.allSettled([calls.join('a', failing), calls.join('a', failing)]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await calls.join('a', () => Promise.resolve(1)), 1);
});
