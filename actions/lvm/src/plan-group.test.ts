import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { rowsIn } from './lvm-report.ts';
import { planGroup, type LvmFacts } from './plan-group.ts';
import { readSettings } from './settings.ts';

const PATHS = ['/dev/a', '/dev/b', '/dev/c'];
const GROUPS = ['vg0', 'vg1', ''];

/** A machine with three disks, of which some are wanted. */
const machine = fc
  .record({
    wanted: fc.subarray(PATHS, { minLength: 1 }),
    groupOf: fc.array(fc.option(fc.constantFrom(...GROUPS)), { minLength: 3, maxLength: 3 }),
    others: fc.array(fc.subarray(['ext4', 'gpt']), { minLength: 3, maxLength: 3 }),
    wipe: fc.boolean(),
    sizes: fc.array(fc.constantFrom(4, 5, 8), { maxLength: 2 }),
    found: fc.array(fc.constantFrom(4, 8), { maxLength: 2 }),
  })
  .map(({ wanted, groupOf, others, wipe, sizes, found }) => {
    const signaturesOf = (path: string): readonly string[] => {
      const index = PATHS.indexOf(path);
      return groupOf[index] === null ? (others[index] ?? []) : ['LVM2_member'];
    };
    const physicalVolumes = PATHS.flatMap((path, index) => {
      const group = groupOf[index];
      return group === null || group === undefined ? [] : [{ path, group }];
    });
    const facts: LvmFacts = {
      devices: wanted.map((path) => ({ path, signatures: signaturesOf(path) })),
      physicalVolumes,
      groups: new Map(physicalVolumes.filter(({ group }) => group !== '').map(({ group }) => [group, 4])),
      volumes: found.map((bytes, index) => ({ group: 'vg0', name: `lv${index}`, bytes })),
    };
    const volumes = sizes.map((bytes, index) => ({
      name: `lv${index}`,
      size: { kind: 'bytes', bytes } as const,
    }));
    return { facts, wanted: { group: 'vg0', volumes, wipe } };
  });

test('nothing is destroyed without WIPE, and never a disk that is not named', () => {
  fc.assert(
    fc.property(machine, ({ facts, wanted }) => {
      const plan = planGroup(wanted, facts);
      if (!plan.ok) return;
      const named = new Set(facts.devices.map(({ path }) => path));
      for (const step of plan.steps) {
        if (step.kind === 'wipe' || step.kind === 'create-physical') assert.ok(named.has(step.device));
        if (step.kind === 'remove-group') {
          assert.ok(wanted.wipe);
          for (const { path, group } of facts.physicalVolumes)
            if (group === step.group) assert.ok(named.has(path), `${path} is not named`);
        }
      }
      if (wanted.wipe || plan.steps.every(({ kind }) => kind === 'create-volume')) return;
      // Only empty disks, and physical volumes without a group.
      for (const { path, signatures } of facts.devices) {
        assert.deepEqual(
          signatures.filter((type) => type !== 'LVM2_member'),
          [],
        );
        assert.ok(facts.physicalVolumes.every((one) => one.path !== path || one.group === ''));
      }
    }),
    { seed: 19, numRuns: 3000 },
  );
});

test('what a plan creates needs no further step', () => {
  fc.assert(
    fc.property(machine, ({ facts, wanted }) => {
      const plan = planGroup(wanted, facts);
      if (!plan.ok) return;
      const paths = facts.devices.map(({ path }) => path);
      const sizes = wanted.volumes.map(({ name, size }) => ({
        group: 'vg0',
        name,
        bytes: Math.ceil(size.bytes / 4) * 4,
      }));
      const after: LvmFacts = {
        devices: paths.map((path) => ({ path, signatures: ['LVM2_member'] })),
        physicalVolumes: paths.map((path) => ({ path, group: 'vg0' })),
        groups: new Map([['vg0', 4]]),
        volumes: sizes,
      };
      assert.deepEqual(planGroup(wanted, after), { ok: true, steps: [] });
    }),
    { seed: 19, numRuns: 1000 },
  );
});

test('wrong variables are listed together', () => {
  const environment = {
    VOLUME_GROUP: '-x',
    PHYSICAL_VOLUMES: 'sda,/dev/b,/dev/b',
    LOGICAL_VOLUMES: 'a:20G,a:1G,b:0G,c,d:101%FREE,e:1G:2,--f:1G,g:99999999999G',
  };
  assert.throws(() => readSettings(environment), {
    message: new RegExp(
      [
        'PHYSICAL_VOLUMES: sda must be an absolute path',
        'PHYSICAL_VOLUMES names a device twice',
        ...['b:0G', 'c', 'd:101%FREE', 'e:1G:2', '--f:1G', 'g:99999999999G'].map(
          (bad) => `"${bad}" is not NAME:SIZE`,
        ),
        'VOLUME_GROUP=-x is not a name',
        'LOGICAL_VOLUMES has a name twice',
      ].join('.*'),
    ),
  });
  assert.throws(() => readSettings({}), /VOLUME_GROUP is missing.*PHYSICAL_VOLUMES is missing/);
  const good = readSettings({
    VOLUME_GROUP: 'vg0',
    PHYSICAL_VOLUMES: '/dev/a, /dev/b',
    LOGICAL_VOLUMES: 'root:2GiB,swap:512M,rest:100%FREE',
  });
  assert.deepEqual(good.volumes[0], { name: 'root', size: { kind: 'bytes', bytes: 2 ** 31 } });
  assert.deepEqual(good.devices, ['/dev/a', '/dev/b']);
});

test('any text is a report, or is not', () => {
  const options = { list: 'vg', fields: ['vg_name'] };
  assert.deepEqual(rowsIn('{"report":[{"vg":[{"vg_name":"a","x":1}]}]}', options), [{ vg_name: 'a' }]);
  assert.deepEqual(rowsIn('{"report":[{"vg":[]}]}', options), []);
  for (const text of ['', '{}', '{"report":[{}]}', '{"report":[{"vg":[{}]}]}', '[1]'])
    assert.equal(rowsIn(text, options), undefined, text);
  fc.assert(
    fc.property(fc.json(), (text) => {
      rowsIn(text, options);
    }),
  );
});
