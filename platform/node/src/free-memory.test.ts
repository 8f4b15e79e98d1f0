import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Below the size that the C library maps separately and returns at once. */
const PIECE_BYTES = 100_000;
const PIECES = 600;

const program = `
  import { keepFreeMemorySmall } from ${JSON.stringify(new URL('free-memory.ts', import.meta.url).href)};
  const megabytes = () => process.memoryUsage().rss / 1e6;
  // The last piece stays in use above those that become free.
  let pieces = Array.from({ length: ${PIECES} }, () => Buffer.alloc(${PIECE_BYTES}, 1));
  const last = pieces.at(-1);
  const used = megabytes();
  pieces = undefined;
  for (let turn = 0; turn < 5; turn += 1) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const before = megabytes();
  await keepFreeMemorySmall();
  console.log(JSON.stringify({ used, before, after: megabytes(), last: last.length }));
`;

test(
  'free memory is returned to the system, and no timer keeps the process alive',
  { skip: process.platform === 'linux' ? false : 'needs Linux' },
  () => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--expose-gc', '--input-type=module-typescript', '--eval', program],
      { encoding: 'utf8', env: { ...process.env, MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1000000' } },
    );
    const { used, before, after } = JSON.parse(stdout) as { used: number; before: number; after: number };
    assert.equal(stderr, '');
    assert.ok(before > used - 20, `${used} MB used, ${before} MB of it free but not returned`);
    assert.ok(after < before - 30, `${before} MB, then ${after} MB`);
  },
);
