import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { activeIn, arrayIn } from './mdadm-export.ts';
import { createArguments } from './mdraid.ts';
import { planArray, type MemberFacts, type RaidFacts } from './plan-array.ts';
import { readSettings } from './settings.ts';

const PATHS = ['/dev/a', '/dev/b'];
const memberOf = fc.option(
  fc.record({
    uuid: fc.constantFrom('u1', 'u2'),
    level: fc.constantFrom('raid1', 'raid0'),
    devices: fc.constantFrom(2, 3),
  }),
  { nil: undefined },
);
const member = (path: string): fc.Arbitrary<MemberFacts> =>
  fc.record({ path: fc.constant(path), signatures: fc.subarray(['ext4', 'linux_raid_member']), memberOf });
const facts: fc.Arbitrary<RaidFacts> = fc.record({
  members: fc.tuple(...PATHS.map(member)),
  active: fc.option(
    fc.record({
      uuid: fc.constantFrom('u1', 'u2'),
      members: fc.subarray([...PATHS, '/dev/c'], { minLength: 1 }),
    }),
    { nil: undefined },
  ),
});
const WANTED = { array: '/dev/md0', level: '1', spares: 0 } as const;

test('members are replaced only with WIPE, and no array with other devices is stopped', () => {
  fc.assert(
    fc.property(facts, fc.boolean(), (found, wipe) => {
      const plan = planArray({ ...WANTED, wipe }, found);
      if (!plan.ok) return;
      const { steps } = plan;
      if (steps.includes('stop')) {
        assert.ok(wipe);
        for (const path of found.active?.members ?? []) assert.ok(PATHS.includes(path));
      }
      const isUsed = found.members.some((one) => one.signatures.length > 0 || one.memberOf !== undefined);
      if (steps.includes('create')) {
        assert.ok(wipe || !isUsed);
        assert.ok(!isUsed || steps.includes('wipe'));
        return;
      }
      const [one, two] = found.members.map(({ memberOf: array }) => array);
      assert.deepEqual([one?.uuid, one?.level, one?.devices], [two?.uuid, 'raid1', 2]);
      assert.deepEqual(steps, found.active === undefined ? ['assemble'] : []);
    }),
    { seed: 19, numRuns: 3000 },
  );
});

test('the reports of mdadm are read', () => {
  const examined =
    'MD_LEVEL=raid1\nMD_DEVICES=2\nMD_NAME=any:0\nMD_ARRAY_SIZE=63.94MiB\nMD_UUID=1:2:3:4\nMD_EVENTS=17\n';
  assert.deepEqual(arrayIn(examined), { uuid: '1:2:3:4', level: 'raid1', devices: 2 });
  const detail = `${examined}MD_DEVICE_dev_loop1_ROLE=1\nMD_DEVICE_dev_loop1_DEV=/dev/loop1\nMD_DEVICE_dev_loop0_ROLE=0\nMD_DEVICE_dev_loop0_DEV=/dev/loop0\n`;
  assert.deepEqual(activeIn(detail), { uuid: '1:2:3:4', members: ['/dev/loop0', '/dev/loop1'] });
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!text.includes('MD_')) assert.deepEqual([arrayIn(text), activeIn(text)], [undefined, undefined]);
    }),
  );
});

test('wrong variables are listed together', () => {
  const environment = {
    ARRAY: '/dev/sda',
    LEVEL: '5',
    DEVICES: '/dev/a,/dev/b,/dev/c',
    SPARES: '1',
    METADATA: '0.9',
    CHUNK_KIB: '3',
  };
  assert.throws(
    () => readSettings(environment),
    /ARRAY=\/dev\/sda must be like.*LEVEL=5 needs at least 3 DEVICES besides the SPARES, not 2.*METADATA=0.9.*CHUNK_KIB=3/,
  );
  assert.throws(() => readSettings({ ...environment, LEVEL: '4' }), /LEVEL=4 must be 0, 1, 5, 6 or 10/);
  assert.throws(() => readSettings({}), /ARRAY is missing.*LEVEL is missing.*DEVICES is missing/);
});

test('the arguments of mdadm', () => {
  const environment = {
    ARRAY: '/dev/md/root',
    LEVEL: 'raid10',
    DEVICES: '/dev/a,/dev/b,/dev/c',
    SPARES: '1',
    CHUNK_KIB: '64',
  };
  assert.equal(
    createArguments(readSettings(environment)).join(' '),
    '--create /dev/md/root --run --homehost=any --metadata=1.2 --level=10 --raid-devices=2 --spare-devices=1 --chunk=64 /dev/a /dev/b /dev/c',
  );
});
