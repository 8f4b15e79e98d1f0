/** A few runs of `npm run e2e -- breaks`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonToSkip } from './image-breaks/cached-disk.ts';
import { runBreakSuite } from './image-breaks/run-suite.ts';

const RUNS = 5;
const TIME_MS_MAX = 600_000;
/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];

test(
  `${RUNS} installations with breaks and kills end with the image on the disk`,
  { skip: reasonToSkip(), timeout: TIME_MS_MAX },
  async () => {
    const results = await runBreakSuite({ runs: RUNS, seed });
    const wrong = results.filter(({ error }) => error !== undefined);
    assert.deepEqual(wrong, []);
    assert.ok(results.flatMap(({ breaks }) => breaks).length >= RUNS, 'too little broke to prove anything');
  },
);
