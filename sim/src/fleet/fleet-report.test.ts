import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetRecord } from './fleet-record.ts';
import { isHeld, reportText, stepTimes, type FleetReport } from './fleet-report.ts';
import { usageIn } from './server-usage.ts';

const held: FleetReport = {
  seed: 1,
  machines: 2,
  provisioned: 2,
  failed: [],
  broken: [],
  crashes: 0,
  results: 6,
  seconds: 4,
  registerSeconds: 1,
  steps: [{ step: 'firmware-dhcp', count: 4, medianMs: 2.5, p99Ms: 1500, maxMs: 1500 }],
  server: { residentBytesBefore: 100e6, residentBytesMax: 100e6 + 4096, processorSeconds: 0.5 },
  simulator: { residentBytesMax: 80e6, processorSeconds: 1 },
};

test('names the first failure first, with machine, step and reason', () => {
  const failed = ['a', 'b', 'c'].map((name) => ({
    name,
    mac: `02:${name}`,
    step: 'firmware-tftp',
    reason: 'no answer',
    workflow: 'PENDING',
  }));
  const text = reportText({ ...held, provisioned: 0, failed });
  assert.match(text, /^first failure: a \(02:a\) at firmware-tftp: no answer; its Workflow is PENDING\n +b /);
  assert.match(text, /3 failed at firmware-tftp/);
});

test('shows times, memory and processor time, and ends with how many machines were provisioned', () => {
  const text = reportText(held);
  assert.match(text, /firmware-dhcp +4 +2\.5 ms +1\.50 s +1\.50 s/);
  assert.match(text, /2\.0 KiB per machine/);
  assert.match(text, /250\.0 ms per machine/);
  assert.match(text, /2 of 2 machines provisioned in 4\.0 s \(0\.5 per second\)/);
});

test('a run holds only if every machine was provisioned and nothing was broken', () => {
  assert.equal(isHeld(held), true);
  assert.equal(isHeld({ ...held, provisioned: 1 }), false);
  assert.equal(isHeld({ ...held, broken: ['192.0.2.1 was given to a and to b'] }), false);
});

test('records an address that two machines have, and an action that is given again after its end', () => {
  const record = new FleetRecord();
  const plan = { name: 'a' } as Parameters<FleetRecord['given']>[0];
  record.addressed('192.0.2.1', 'a');
  record.given(plan, 'one');
  record.acknowledged(plan, 'one');
  assert.deepEqual(record.broken, []);
  record.addressed('192.0.2.1', 'b');
  record.given(plan, 'one');
  assert.equal(record.broken.length, 2);
});

test('the median of an even number of times is the lower one, and 99 of 100 excludes one of a hundred', () => {
  const record = new FleetRecord();
  for (let one = 100; one > 0; one -= 1) record.measured('report', one);
  assert.deepEqual(stepTimes(record), [{ step: 'report', count: 100, medianMs: 50, p99Ms: 99, maxMs: 100 }]);
});

test('reads memory and processor time, and nothing from a server that does not report them', () => {
  const text = '# HELP x\nprocess_cpu_seconds_total 1.5\nprocess_resident_memory_bytes 1.2e8 1700000000000\n';
  assert.deepEqual(usageIn(text), { residentBytes: 1.2e8, processorSeconds: 1.5 });
  assert.equal(usageIn('process_cpu_seconds_total 1.5\n'), undefined);
});
