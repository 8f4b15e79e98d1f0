import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withCacheLock } from './cache-lock.ts';

test('admits one at a time, and the next one also after a failure', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-cache-'));
  const events: string[] = [];
  const work = (name: string, fails: boolean) =>
    withCacheLock(directory, async () => {
      events.push(`${name} in`);
      await new Promise(setImmediate);
      events.push(`${name} out`);
      if (fails) throw new Error(name);
    });
  const results = await Promise.allSettled([work('a', true), work('b', false), work('c', false)]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  for (let index = 0; index < events.length; index += 2) {
    assert.equal(events[index]?.replace(' in', ' out'), events[index + 1], events.join());
  }
  rmSync(directory, { recursive: true });
});
