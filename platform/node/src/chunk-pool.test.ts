import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChunkPool } from './chunk-pool.ts';

test('reuses chunks up to a limit, and returns most of their memory when nothing is sent', () => {
  const pool = new ChunkPool(8, { keptBytes: 24, quietBytes: 8 });
  const taken = Array.from({ length: 4 }, () => pool.take());
  for (const chunk of taken) pool.giveBack(chunk);
  assert.equal(pool.kept, 3);
  const [first, second, third] = taken;
  assert.equal(pool.take(), third);
  assert.ok(third);
  pool.giveBack(third);
  pool.trim();
  assert.equal(pool.kept, 1);
  assert.deepEqual([first?.length, second?.length, third.length], [8, 0, 0]);
  assert.equal(pool.take(), first);
  assert.equal(pool.take().length, 8);
});
