/** Tests our own ISO image as virtual media: no DHCP, no PXE. The ARM machine is in `npm run e2e -- iso`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoMatrix } from './firmware/cases.ts';
import { runMatrix, type CaseResult } from './firmware/run-matrix.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

test(
  'machines with BIOS and UEFI boot the patched image up to the agent, with a static address',
  { skip },
  async (context) => {
    const cases = isoMatrix.filter(({ loader }) => loader.firmware !== 'arm64-uefi');
    const onResult = ({ standstill }: CaseResult): void => {
      if (standstill !== undefined) context.diagnostic(`was reset: ${standstill}`);
    };
    const results = await runMatrix({ cases, concurrency: 2, onResult });
    assert.deepEqual(
      results.map(({ error }) => error),
      [undefined, undefined],
    );
  },
);
