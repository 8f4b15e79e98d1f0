/** A fifth of `npm run e2e -- breaks`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { runBreakSuite } from './image-breaks/run-suite.ts';

const RUNS = 20;
/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for loop devices';
  return spawnSync('losetup', ['--find']).status !== 0 && 'needs loop devices';
}

test(
  `${RUNS} installations with breaks and kills end with the image on the disk`,
  { skip: reasonToSkip() },
  async () => {
    const results = await runBreakSuite({ runs: RUNS, seed });
    const wrong = results.filter(({ error }) => error !== undefined);
    assert.deepEqual(wrong, [], `npm run e2e -- breaks --runs ${RUNS} --seed ${seed}`);
    assert.ok(
      new Set(results.flatMap(({ breaks }) => breaks)).size > 2,
      'too little broke to prove anything',
    );
  },
);
