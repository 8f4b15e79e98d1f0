/** Injects faults into boots of real firmware. The doctor must find each by itself, and nothing in a healthy boot. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Fault } from './doctor/fault.ts';
import { faults } from './doctor/faults.ts';
import { openFaultSite, type FaultSite } from './doctor/fault-site.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, for network namespaces';

/** Most of them wait until silence or a problem counts, so that two cores carry them. */
const AT_ONCE = 4;

const tested = faults.flatMap((fault) => (fault.inTest === undefined ? [] : [{ ...fault, ...fault.inTest }]));
/** Alone: beside four others on a slow host, a system is silent for so long that the doctor is right. */
const healthy = tested.filter(({ cause }) => cause === undefined);
const faulty = tested.filter(({ cause }) => cause !== undefined);

describe('the doctor', () => {
  let site: FaultSite | undefined;
  before(async () => {
    if (skip === false) site = await openFaultSite();
  });
  after(() => site?.[Symbol.asyncDispose]());

  const register = (fault: Fault): void =>
    void test(`${fault.cause ?? 'finds nothing'}: ${fault.name}`, { skip }, async () => {
      assert.ok(site !== undefined);
      const { error } = await site.check(fault);
      assert.equal(error, undefined);
    });
  healthy.forEach(register);
  describe('at once', { concurrency: AT_ONCE }, () => faulty.forEach(register));
});
