import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { quietCollector } from ${JSON.stringify(new URL('collector.ts', import.meta.url).href)};
  const megabytes = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size / 1e6;
  const collect = quietCollector();
  const kept = [];
  for (let i = 0; i < 2_000_000; i += 1) {
    kept.push({ i });
    if (kept.length > 100_000) kept.length = 0;
  }
  const before = megabytes();
  // V8 counts the allocations of the last five seconds.
  for (let turn = 0; turn < 15 && megabytes() > before / 4; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    collect({ isOldToo: false });
  }
  console.log(JSON.stringify({ before, after: megabytes(), gc: typeof gc }));
`;

test('the young generation is small again after a collection in a quiet time, and no program sees the collector', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-semi-space-size=8', '--input-type=module-typescript', '--eval', program],
    { encoding: 'utf8' },
  );
  assert.equal(stderr, '');
  const { before, after, gc } = JSON.parse(stdout) as { before: number; after: number; gc: string };
  assert.ok(before >= 8, `it had only ${before} MB`);
  assert.ok(after <= before / 4, `${before} MB, then ${after} MB`);
  assert.equal(gc, 'undefined');
});

const withOldGarbage = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { quietCollector } from ${JSON.stringify(new URL('collector.ts', import.meta.url).href)};
  const megabytes = () => getHeapSpaceStatistics().find((one) => one.space_name === 'old_space').space_used_size / 1e6;
  const collect = quietCollector();
  const inUse = (count) => {
    const objects = Array.from({ length: count }, (_, i) => ({ i }));
    // What survives is in the old generation.
    collect({ isOldToo: true });
    collect({ isOldToo: true });
    return objects;
  };
  const wait = () => new Promise((resolve) => setTimeout(resolve, 200));
  const kept = inUse(300_000);
  // In its turn, V8 completes a collection that the growth so far may have begun.
  for (let turn = 0; turn < 10; turn += 1) await wait();
  let garbage = inUse(300_000);
  const before = megabytes();
  garbage = undefined;
  for (let turn = 0; turn < 40 && megabytes() > before - 5; turn += 1) {
    await wait();
    collect({ isOldToo: true });
  }
  console.log(JSON.stringify({ before, after: megabytes(), kept: kept.length }));
`;

test('garbage of the old generation is collected in a quiet time, and what is left is joined', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--trace-gc', '--input-type=module-typescript', '--eval', withOldGarbage],
    { encoding: 'utf8' },
  );
  assert.equal(stderr, '');
  // V8's name for a collection that makes the heap small.
  assert.match(stdout, /Mark-Compact \(reduce\)/);
  const { before, after } = JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as {
    before: number;
    after: number;
  };
  assert.ok(after <= before - 5, `${before} MB, then ${after} MB`);
});
