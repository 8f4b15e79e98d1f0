/** The simulated service against the schemas of DMTF, so that the driver is not tested with a Redfish of our own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RedfishFeatures } from '@tinkerbell/sandbox/bmc';
import { PASSWORD, redfishRack } from '../testing/redfish-rack.ts';
import { validated, whyNoValidator } from '../testing/redfish-validator.ts';

/** Fewer mean that the program did not follow the links. */
const PASSES_MIN = 400;

const variants: readonly (readonly [string, RedfishFeatures])[] = [
  ['drives in the manager', {}],
  [
    'drives in the system, and more than one system',
    {
      mediaIn: 'system',
      hasActionInfo: true,
      hasMediaActions: false,
      bootIn: 'settings',
      systems: ['a', 'b'],
    },
  ],
];

for (const [name, features] of variants) {
  test(`every resource follows its schema: ${name}`, async (context) => {
    const why = await whyNoValidator();
    if (why !== undefined) return context.skip(why);
    await using rack = await redfishRack(features);
    const result = await validated({ port: rack.service.port, username: 'admin', password: PASSWORD });
    if (result.kind === 'without-schemas') return context.skip(result.why);
    assert.deepEqual(result.failures, []);
    assert.ok(result.passes >= PASSES_MIN, `${result.passes} passes`);
  });
}
