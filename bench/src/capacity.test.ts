import assert from 'node:assert/strict';
import { test } from 'node:test';

import { highestServed } from './capacity.ts';

const search = { firstRate: 1000, lowestRate: 10, growth: 2, halvings: 4 };

function serverOf(capacity: number) {
  return async (rate: number) => (rate <= capacity ? rate : undefined);
}

test('approaches the capacity from below, wherever the search begins', async () => {
  for (const capacity of [70, 999, 1000, 5300, 90_000]) {
    const found = (await highestServed(search, serverOf(capacity))) ?? 0;
    assert.ok(found <= capacity && found > capacity * 0.9, `${found} of ${capacity}`);
  }
});

test('finds nothing where nothing is served', async () => {
  assert.equal(await highestServed(search, serverOf(0)), undefined);
});

test('repeats a rate after its first failure', async () => {
  const serve = serverOf(5300);
  const failedOnce = new Set<number>();
  const found = await highestServed(search, async (rate) => {
    if (failedOnce.has(rate)) return serve(rate);
    failedOnce.add(rate);
    return undefined;
  });
  assert.equal(found, await highestServed(search, serve));
});
