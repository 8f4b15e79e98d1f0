import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { bootsIn } from './boot/boot-records.ts';
import { diagnose, stepDurations } from './diagnose.ts';
import { nearMacs } from './near-macs.ts';
import { firmware, loader, START_MS, timelineOf, type Line } from './testing/boot-timeline.ts';
import { healthyBoots, linesOf, seeded } from './testing/healthy-boots.ts';
import { modelOf, UsualDurations } from './usual-durations.ts';
import { stepNames } from './steps.ts';

const hardware: Hardware = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Hardware',
  metadata: { name: 'm1', namespace: 'default' },
};
const usual = new UsualDurations();
const limitMs = (step: (typeof stepNames)[number]): number => usual.limitMs('', step);

function workflow(state: string): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace: 'default' },
    status: { state },
  };
}

describe('a healthy boot has no finding at any moment', () => {
  for (const [name, steps] of Object.entries(healthyBoots))
    test(name, () => {
      for (let seed = 1; seed <= 40; seed += 1) {
        const records = timelineOf(linesOf(steps, seeded(seed)));
        for (let count = 1; count <= records.length; count += 1) {
          const seen = records.slice(0, count);
          const isOver =
            seen.some(({ details }) => details?.['to'] === 'SUCCESS') || name === 'an installed machine';
          const workflows = [workflow(isOver ? 'SUCCESS' : 'PENDING')];
          // The moment of a record, and the last moment before the next one.
          const [now, next] = [seen.at(-1)?.atMs ?? 0, records[count]?.atMs];
          for (const nowMs of [now, (next ?? now + 86_400_000) - 1]) {
            const { verdict } = diagnose({ nowMs, macs: [], records: seen, hardware, workflows, limitMs });
            assert.notEqual(
              verdict.state,
              'stopped',
              `seed ${seed}, after ${count} records: ${verdict.cause}`,
            );
          }
        }
        const { verdict } = diagnose({
          nowMs: Infinity,
          macs: [],
          records,
          hardware,
          workflows: [workflow('SUCCESS')],
          limitMs,
        });
        assert.equal(verdict.state, 'healthy', `seed ${seed}`);
      }
    });
});

test('a machine that was never seen is unseen, and time changes nothing', () => {
  const diagnosis = diagnose({ nowMs: START_MS, macs: [], records: [], hardware, limitMs });
  assert.deepEqual([diagnosis.verdict.state, diagnosis.againMs], ['unseen', undefined]);
});

test('repeated requests are no progress, and the verdict comes within a minute of the stand-still', () => {
  const records = timelineOf([
    ...firmware(0),
    ...firmware(8),
    ...firmware(16),
    ...firmware(24),
    ...firmware(32),
  ]);
  const at = (seconds: number) =>
    diagnose({ nowMs: START_MS + seconds * 1000, macs: [], records, hardware, limitMs });
  assert.equal(at(33).verdict.state, 'booting');
  const { againMs = 0 } = at(33);
  assert.ok(againMs - START_MS <= 60_000);
  assert.equal(
    diagnose({ nowMs: againMs, macs: [], records, hardware, limitMs }).verdict.cause,
    'tftp-blocked',
  );
  assert.equal(at(59).verdict.sinceMs, START_MS + 10);
});

test('silence while the server was down means nothing, unless it was a finding before', () => {
  const records = timelineOf(firmware());
  const causeAt = (seconds: number, from: number, until: number) =>
    diagnose({
      nowMs: START_MS + seconds * 1000,
      macs: [],
      records,
      hardware,
      limitMs,
      down: { fromMs: START_MS + from * 1000, untilMs: START_MS + until * 1000 },
    }).verdict.cause;
  // The limit is 40 s, and 10 s passed before the server went down.
  assert.equal(causeAt(320, 10, 300), undefined);
  assert.equal(causeAt(331, 10, 300), 'tftp-blocked');
  assert.equal(causeAt(301, 41, 300), 'tftp-blocked');
  assert.equal(causeAt(41, -300, -1), 'tftp-blocked');
});

test('each step but the start of a server is judged within a minute by default', () => {
  for (const step of stepNames)
    assert.ok(step === 'power-on' || limitMs(step) <= 60_000, `${step}: ${limitMs(step)}`);
});

/** A boot that takes `factor` times as long as one under emulation on a calm host. */
const slowBoot = (factor: number): readonly Line[] => {
  const path = (name: string) => ({ path: `/hook/${name}`, offset: 0 });
  return [
    ...firmware(),
    [1, 'http/script-served', 'iPXE script served: hook', { outcome: 'hook' }],
    [1 + 0.1 * factor, 'image/transfer-started', 'begun', path('vmlinuz-x86_64')],
    [1 + 2 * factor, 'image/transfer-completed', 'sent', path('vmlinuz-x86_64')],
    [1 + 2.1 * factor, 'image/transfer-started', 'begun', path('initramfs-x86_64')],
    [1 + 8 * factor, 'image/transfer-completed', 'sent', path('initramfs-x86_64')],
    ...slowStart(1 + 8 * factor, factor),
  ];
};

const slowStart = (at: number, factor: number): readonly Line[] => [
  [at + 13 * factor, 'dhcp/acknowledge-sent', 'acknowledge', { client: 'an operating system' }],
  [at + 18 * factor, 'agent/action-served', 'given to agent', {}],
];

/** The same, of PXELINUX, which loads everything by TFTP. */
const slowTftpBoot = (factor: number): readonly Line[] => {
  const sent = (at: number, name: string, seconds: number): Line => [
    at,
    'tftp/file-sent',
    'sent',
    { file: `x/hook/${name}`, milliseconds: seconds * 1000 },
  ];
  const moved = Array.from({ length: Math.floor(2 * factor) }, (_, at): Line => [
    1 + 3 * factor + 10 * (at + 1),
    'tftp/file-moved',
    'moved',
    { file: 'x/hook/initramfs-x86_64' },
  ]);
  const loaded = 1 + 3 * factor + 10 * moved.length + 9;
  return [
    ...firmware(),
    [1, 'tftp/file-sent', 'sent', { file: 'x/lpxelinux.0' }],
    sent(1 + 3 * factor, 'vmlinuz-x86_64', 3 * factor),
    ...moved,
    sent(loaded, 'initramfs-x86_64', 10 * moved.length + 9),
    ...slowStart(loaded, factor),
  ];
};

test('a machine whose steps all take five times as long has no finding, whatever is usual', () => {
  for (const [boot, factor] of [slowBoot, slowTftpBoot].flatMap((one) =>
    [1, 2, 3, 5].map((times) => [one, times] as const),
  )) {
    const records = timelineOf(boot(factor));
    for (let count = 1; count < records.length; count += 1) {
      const nowMs = (records[count]?.atMs ?? 0) - 1;
      const seen = { nowMs, macs: [], records: records.slice(0, count), hardware, limitMs };
      const { verdict } = diagnose(seen);
      assert.equal(verdict.cause, undefined, `${boot.name}, ${factor} times, after ${count} records`);
    }
  }
});

test('a machine that loaded its system fast is judged within a minute, and a slow one later, but not never', () => {
  const causeAt = (factor: number, count: number, seconds: number) => {
    const records = timelineOf(slowBoot(factor)).slice(0, count);
    const nowMs = (records.at(-1)?.atMs ?? 0) + seconds * 1000;
    return diagnose({ nowMs, macs: [], records, hardware, limitMs }).verdict.cause;
  };
  const [loaded, started] = [7, 8];
  assert.deepEqual([causeAt(1, loaded, 57), causeAt(1, loaded, 58)], [undefined, 'system-silent']);
  assert.deepEqual([causeAt(5, loaded, 245), causeAt(5, loaded, 250)], [undefined, 'system-silent']);
  assert.deepEqual([causeAt(1_000, loaded, 299), causeAt(1_000, loaded, 301)], [undefined, 'system-silent']);
  assert.notEqual(causeAt(1, started, 60), undefined);
  assert.deepEqual(
    [causeAt(5, started, 100) === undefined, causeAt(5, started, 110) === undefined],
    [true, false],
  );
});

test('durations are learned per model, and a model without samples uses those of all', () => {
  const learned = new UsualDurations();
  const slow = new Map([['loader', 100_000]] as const);
  for (let count = 0; count < 4; count += 1) learned.learn('dell r640', slow);
  assert.equal(learned.usualMs('dell r640', 'loader'), 20_000);
  learned.learn('dell r640', slow);
  assert.equal(learned.usualMs('dell r640', 'loader'), 100_000);
  assert.equal(learned.usualMs('other', 'loader'), 100_000);
  for (let count = 0; count < 100; count += 1)
    learned.learn('other', new Map([['loader', count < 95 ? 1000 : 9000]] as const));
  assert.equal(learned.usualMs('other', 'loader'), 1000);
  learned.learn('dell r640', new Map([['loader', 3_600_000]] as const));
  assert.equal(learned.usualMs('dell r640', 'loader'), 100_000);
});

test('the model is that of the metadata and of the BMC', () => {
  assert.equal(modelOf(hardware), '');
  const chassis = { vendor: 'Dell Inc.', model: 'PowerEdge R640' };
  const inventoried: Hardware = { ...hardware, status: { attributes: { outOfBand: { chassis } } } };
  assert.equal(modelOf(inventoried), 'Dell Inc. PowerEdge R640');
});

test('the durations of a boot are those between records of progress', () => {
  const [boot = []] = bootsIn(timelineOf([...firmware(0), ...firmware(4), ...loader(10)]));
  assert.deepEqual(
    [...stepDurations(boot)],
    [
      ['address', 10],
      ['loader', 10_490],
      ['script', 500],
    ],
  );
});

test('the start of a machine takes from its power-on by the BMC to its first packet', () => {
  const records = timelineOf([
    [0, 'workflow/boot-job-completed'],
    ...firmware(25),
    ...loader(26),
    [90, 'workflow/boot-job-completed'],
    ...firmware(300),
  ]);
  const [one = [], other = []] = bootsIn(records);
  assert.equal(stepDurations(one, records).get('power-on'), 25_000);
  assert.equal(stepDurations(other, records).get('power-on'), 210_000);
  assert.equal(stepDurations(one.slice(1), records).get('power-on'), undefined);
});

test('a typing error is one wrong digit or two swapped ones', () => {
  const near = nearMacs('08:00:27:9e:f5:3a');
  for (const mac of ['08:00:27:9e:f5:3b', '80:00:27:9e:f5:3a', '08:00:27:9e:f5:a3', '08:00:27:9e:5f:3a'])
    assert.ok(near.includes(mac), mac);
  assert.ok(!near.includes('08:00:27:9e:f5:3a') && !near.includes('08:00:27:9e:f5:4b'));
  // 12 digits with 15 others each, and 11 swaps of which one changes nothing.
  assert.equal(near.length, 12 * 15 + 10);
});
