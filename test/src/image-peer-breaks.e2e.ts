/** A run of `npm run e2e -- peer-breaks`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonToSkip } from './image-breaks/cached-disk.ts';
import { runBreakSuite } from './image-breaks/run-suite.ts';

const TIME_MS_MAX = 300_000;
/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];

test(
  'an installation ends with the image on the disk when the agent that sends it chunks breaks',
  { skip: reasonToSkip('tc', 'ip'), timeout: TIME_MS_MAX },
  async (context) => {
    const [result] = await runBreakSuite({ runs: 1, seed, hasPeer: true });
    context.diagnostic(`${result?.name}; happened: ${result?.breaks.join(', ')}`);
    assert.equal(result?.error, undefined);
  },
);
