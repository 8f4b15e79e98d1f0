import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzDhcp } from '../testing/dhcp-fuzzer.ts';

const COUNT = 200_000;
/**
 * Allows for compiled code and caches that fill up. A leak of a hundred bytes per packet would be twenty
 * times as much.
 */
const HEAP_GROWTH_BYTES_MAX = 4_000_000;

test('200,000 broken packets cause no crash, no delay and no leak, and get a correct answer or none', async (context) => {
  const seed = process.hrtime()[1];
  context.diagnostic(`seed ${seed}`);
  const { answered, counters, heapGrowthBytes } = await fuzzDhcp({ count: COUNT, seed });
  assert.ok(answered > COUNT / 10, `only ${answered} were answered: the packets are too broken to be a test`);
  const reasons = Object.keys(counters).filter((key) => key.startsWith('dhcp_ignored_total'));
  assert.ok(reasons.length >= 15, `only ${reasons.length} reasons were met: ${reasons.join(', ')}`);
  assert.ok(heapGrowthBytes < HEAP_GROWTH_BYTES_MAX, `the heap grew by ${heapGrowthBytes} bytes`);
});
