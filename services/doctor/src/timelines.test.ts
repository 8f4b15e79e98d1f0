import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootsIn, diagnose, UsualDurations } from '@tinkerbell/diagnosis';
import {
  firmware,
  download,
  action,
  loader,
  script,
  success,
  system,
  timelineOf,
  type Line,
} from '@tinkerbell/diagnosis/testing';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { Timelines } from './timelines.ts';

const MAC = '08:00:27:9e:f5:3a';
const install = (at: number): readonly Line[] => [
  ...firmware(at),
  ...loader(at + 1),
  ...script(at + 3),
  ...download(at + 4),
  ...system(at + 10),
  ...action(at + 15),
  ...success(at + 30),
];
const usual = new UsualDurations();

function filled(lines: readonly Line[]): Timelines {
  const timelines = new Timelines();
  for (const record of timelineOf(lines)) timelines.add(record as JournalRecord);
  return timelines;
}

function verdictOf(timelines: Timelines): string {
  const records = timelines.of([MAC]);
  return diagnose({ nowMs: Infinity, macs: [MAC], records, limitMs: (step) => usual.limitMs('', step) })
    .verdict.state;
}

test('condensed boots are few records, with the same verdict and the same beginnings', () => {
  const timelines = filled([
    ...install(0),
    ...install(1000),
    ...firmware(2000),
    ...loader(2001),
    ...script(2003, 'local-boot'),
  ]);
  const before = bootsIn(timelines.of([MAC])).map(([first]) => first?.sequence);
  assert.equal(verdictOf(timelines), 'healthy');
  timelines.condense([MAC]);
  assert.ok(timelines.of([MAC]).length <= 12, String(timelines.of([MAC]).length));
  assert.equal(verdictOf(timelines), 'healthy');
  assert.deepEqual(
    bootsIn(timelines.of([MAC])).map(([first]) => first?.sequence),
    before,
  );
  for (const record of timelineOf(firmware(3000)))
    timelines.add({ ...record, sequence: 1000 + record.sequence } as JournalRecord);
  assert.equal(bootsIn(timelines.of([MAC])).length, 4);
});

test('of a system that only restarts, each start and its last sign are kept', () => {
  const system = {
    source: 'dhcp',
    machine: MAC,
    message: '',
    details: { client: 'an operating system' },
  } as const;
  const timelines = new Timelines();
  for (let at = 0; at < 8; at += 1)
    for (const [step, event] of ['offer-sent', 'acknowledge-sent'].entries())
      timelines.add({ ...system, event, sequence: at * 2 + step, atMs: at * 600_000 + step });
  timelines.condense([MAC]);
  assert.deepEqual(
    timelines.of([MAC]).map(({ sequence }) => sequence),
    [4, 6, 8, 10, 12, 14, 15],
  );
});

test('the last boot stays whole when those before it are condensed', () => {
  const timelines = filled([...install(0), ...firmware(1000), ...loader(1001)]);
  timelines.condenseBefore(MAC);
  assert.equal(bootsIn(timelines.of([MAC])).at(-1)?.length, 5);
});

test('a flood of log lines does not displace the beginning of a boot', () => {
  const flood = Array.from({ length: 5000 }, (_, at): Line => [
    14 + at / 100,
    'syslog/message-received',
    `line ${at}`,
  ]);
  const timelines = filled([...install(0).slice(0, 13), ...flood]);
  const records = timelines.of([MAC]);
  assert.ok(records.length <= 400);
  assert.equal(bootsIn(records)[0]?.[0]?.event, 'offer-sent');
  assert.equal(records.at(-1)?.message, 'line 4999');
});

test('a machine that runs one Workflow after the other without a boot has few records', () => {
  const workflows = Array.from({ length: 50 }, (_, at) => [
    ...action(at * 60).slice(0, 3),
    ...success(at * 60 + 30),
  ]).flat();
  assert.equal(filled(workflows).of([MAC]).length, 60);
  assert.ok(filled([...firmware(0), ...workflows]).of([MAC]).length > 250);
});

test('records that differ in nothing but their time share what they say', () => {
  const details = { address: '10.0.0.1', client: 'an operating system' };
  const [timelines, message] = [new Timelines(), 'request from an operating system: acknowledge of 10.0.0.1'];
  const renewed = { source: 'dhcp', event: 'acknowledge-sent', machine: MAC, message, details } as const;
  timelines.add({ ...renewed, sequence: 1, atMs: 1000 });
  timelines.add({ ...renewed, sequence: 2, atMs: 2000, details: { ...details } });
  timelines.add({ ...renewed, sequence: 3, atMs: 3000, details: { ...details, address: '10.0.0.2' } });
  const [first, second, third] = timelines.of([MAC]);
  assert.equal(second?.details, first?.details);
  assert.deepEqual([second?.sequence, second?.atMs], [2, 2000]);
  assert.deepEqual(third?.details, { ...details, address: '10.0.0.2' });
});
