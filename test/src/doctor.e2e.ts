/** Injects faults into boots of real firmware. The doctor must find each by itself, and nothing in a healthy boot. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { faults } from './doctor/faults.ts';
import { openFaultSite, type FaultSite } from './doctor/fault-site.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';

describe('the doctor', { concurrency: 2 }, () => {
  let site: FaultSite | undefined;
  before(async () => {
    if (skip === false) site = await openFaultSite();
  });
  after(() => site?.[Symbol.asyncDispose]());

  for (const fault of faults.filter(({ isInTest }) => isInTest === true))
    test(`${fault.cause ?? 'finds nothing'}: ${fault.name}`, { skip }, async () => {
      assert.ok(site !== undefined);
      const { error } = await site.check(fault);
      assert.equal(error, undefined);
    });
});
