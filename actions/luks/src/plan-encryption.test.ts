import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { planEncryption, type DeviceFacts } from './plan-encryption.ts';

const DEVICE = '/dev/a';
const facts = fc.record<DeviceFacts>({
  signatures: fc.subarray(['ext4', 'gpt', 'crypto_LUKS']),
  opensWithKey: fc.constantFrom(undefined, true, false),
  openedFrom: fc.constantFrom(undefined, DEVICE, '/dev/b'),
});

test('data is replaced only with WIPE, never with the same key, and never while it is open', () => {
  fc.assert(
    fc.property(facts, fc.boolean(), fc.constantFrom(undefined, 'root'), (found, wipe, name) => {
      const plan = planEncryption({ device: DEVICE, name, wipe }, found);
      if (!plan.ok) return assert.ok(found.openedFrom !== undefined || !wipe);
      const hasData = found.signatures.length > 0 || found.opensWithKey !== undefined;
      if (plan.steps.format) {
        assert.ok(wipe || !hasData);
        assert.notEqual(found.opensWithKey, true);
        assert.equal(found.openedFrom, undefined);
      } else assert.equal(found.opensWithKey, true);
      assert.equal(plan.steps.open, name !== undefined && found.openedFrom === undefined);
    }),
    { seed: 19, numRuns: 1000 },
  );
});
