/** The examples that `npm test` runs on a machine: stand-ins of Talos and VyOS. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { testedExamples } from './actions/cases/all-cases.ts';
import { openCases, type OpenCases } from './actions/open-cases.ts';

const PROGRAMS = ['debugfs', 'grub-mkimage', 'mtype', 'sfdisk', 'tcpdump'];

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for its own network';
  const missing = PROGRAMS.filter((program) => spawnSync('which', [program]).status !== 0);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

describe('examples on machines', { skip: reasonToSkip() }, () => {
  const cleanup = new AsyncDisposableStack();
  let cases: OpenCases;
  before(async () => {
    cases = await openCases(testedExamples, cleanup);
  });
  after(() => cleanup.disposeAsync());

  for (const one of testedExamples)
    test(`${one.name} is installed`, async (context) => {
      const { error, standstill } = await cases.run(one);
      if (standstill !== undefined) context.diagnostic(`was reset: ${standstill}`);
      assert.equal(error, undefined);
    });
});
