/** Registers one test for each case. The cases of a file boot one after another. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { nameOf, type BootCase } from './cases.ts';
import { openMatrix, type CaseResult } from './run-matrix.ts';

export function registerBoots(cases: readonly BootCase[]): void {
  const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';
  const cleanup = new AsyncDisposableStack();
  let boot: (bootCase: BootCase) => Promise<CaseResult>;
  before(async () => {
    if (skip === false) boot = await openMatrix(cases, cleanup);
  });
  after(() => cleanup.disposeAsync());
  for (const bootCase of cases) {
    test(
      `reaches the agent, and the doctor finds nothing: ${nameOf(bootCase)}`,
      { skip },
      async (context) => {
        const { error, standstill } = await boot(bootCase);
        if (standstill !== undefined) context.diagnostic(`was reset: ${standstill}`);
        assert.equal(error, undefined);
      },
    );
  }
}
