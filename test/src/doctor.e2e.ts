/** Injects faults into boots of real firmware. The doctor must find each by itself, and nothing in a healthy boot. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { faults } from './doctor/faults.ts';
import { openFaultSite, type FaultSite } from './doctor/fault-site.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';

/** Most of them wait until silence or a problem counts, so that two cores carry them. */
const AT_ONCE = 4;

const tested = faults.flatMap((fault) => (fault.inTest === undefined ? [] : [{ ...fault, ...fault.inTest }]));

describe('the doctor', { concurrency: AT_ONCE }, () => {
  let site: FaultSite | undefined;
  before(async () => {
    if (skip === false) site = await openFaultSite();
  });
  after(() => site?.[Symbol.asyncDispose]());

  for (const fault of tested)
    test(`${fault.cause ?? 'finds nothing'}: ${fault.name}`, { skip }, async () => {
      assert.ok(site !== undefined);
      const { error } = await site.check(fault);
      assert.equal(error, undefined);
    });
});
