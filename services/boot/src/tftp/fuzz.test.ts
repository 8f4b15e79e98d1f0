import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzTftp } from '../testing/tftp-fuzzer.ts';

const COUNT = 200_000;
/**
 * Allows for compiled code and caches that fill up. A leak of a hundred bytes per packet would be five times
 * as much.
 */
const HEAP_GROWTH_BYTES_MAX = 4_000_000;

test('200,000 broken packets cause no crash, no delay and no leak, and get a correct answer or none', async (context) => {
  const seed = process.hrtime()[1];
  context.diagnostic(`seed ${seed}`);
  const { answered, counters, heapGrowthBytes } = await fuzzTftp({ count: COUNT, seed });
  assert.ok(
    answered > COUNT / 10,
    `only ${answered} were answered: too broken to test anything; seed ${seed}`,
  );
  for (const outcome of ['completed', 'timed-out', 'file-unreadable', 'client-aborted', 'option-refused'])
    assert.ok(
      (counters[`tftp_transfers_total{outcome="${outcome}"}`] ?? 0) > 0,
      `no transfer was ${outcome}`,
    );
  assert.ok(
    heapGrowthBytes < HEAP_GROWTH_BYTES_MAX,
    `the heap grew by ${heapGrowthBytes} bytes; seed ${seed}`,
  );
});
