import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Resource, Workflow } from '@tinkerbell/resources';
import { CONSOLE_OUTPUT, type ListQuery, type Store } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import {
  acknowledge,
  HandClock,
  hardwareNamed,
  localBoot,
  MAC,
  offer,
  startDoctor,
} from './testing/running-doctor.ts';

const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-doctor-'));
after(() => rmSync(folder, { recursive: true }));

const workflow: Workflow = {
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'default' },
  spec: { hardwareRef: 'm1' },
};

test('silence becomes a verdict within a minute, a condition and a record, and progress takes them back', async () => {
  await using doctor = await startDoctor();
  const { clock } = doctor;
  await clock.advance(2);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'unseen');
  doctor.append(offer(), acknowledge());
  await clock.advance(5);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'booting');
  assert.equal(await doctor.condition('m1'), undefined);
  await clock.advance(55);
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'tftp-blocked');
  const condition = await doctor.condition('m1');
  assert.deepEqual([condition?.status, condition?.reason], ['False', 'TftpBlocked']);
  assert.match(condition?.message ?? '', /UDP port 69/);
  const [record, ...others] = await doctor.recorded('boot-stopped');
  assert.deepEqual([record?.machine, record?.details?.['cause'], others.length], [MAC, 'tftp-blocked', 0]);
  assert.equal(doctor.counters()['doctor_verdicts{state="stopped"}'], 1);
  doctor.append({
    source: 'tftp',
    event: 'file-sent',
    machine: MAC,
    message: 'ipxe.efi',
    details: { file: 'ipxe.efi' },
  });
  await clock.advance(3);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'booting');
  assert.equal((await doctor.condition('m1'))?.status, 'False', 'it has not recovered yet');
  doctor.append(localBoot());
  await clock.advance(3);
  assert.equal((await doctor.condition('m1'))?.status, 'True');
  assert.equal((await doctor.recorded('boot-recovered')).length, 1);
});

test('an operating system that boots instead of the network is found long before its start is overdue', async () => {
  await using doctor = await startDoctor();
  const { clock } = doctor;
  await doctor.create({ ...workflow, status: { state: 'PENDING' } });
  doctor.append({ source: 'workflow', event: 'boot-job-completed', machine: MAC, message: 'done' });
  await clock.advance(60);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'booting');
  const system = { address: '10.0.0.5', file: '', client: 'an operating system' };
  doctor.append({ ...offer(), details: system });
  await clock.advance(33);
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'boot-override-ignored');
});

test('a repeated request does not postpone the verdict', async () => {
  await using doctor = await startDoctor();
  for (let count = 0; count < 7; count += 1) {
    doctor.append(offer(), acknowledge());
    await doctor.clock.advance(8);
  }
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'tftp-blocked');
});

test('a restart forgets no verdict, no duration, and reports nothing twice', async () => {
  const path = join(folder, 'restart.db');
  const [store, clock] = [createMemoryStore(), new HandClock()];
  {
    await using first = await startDoctor({ path, store, clock });
    for (let count = 0; count < 5; count += 1) {
      first.append(offer());
      await clock.advance(3);
      first.append(acknowledge(), localBoot());
      await clock.advance(400);
    }
    first.append(offer(), acknowledge());
    await clock.advance(70);
    assert.equal(first.verdicts.get('default/m1')?.cause, 'tftp-blocked');
    assert.equal((await first.recorded('boot-stopped')).length, 1);
  }
  await using second = await startDoctor({ path, store, clock, objects: [] });
  await clock.advance(5);
  assert.equal(second.verdicts.get('default/m1')?.cause, 'tftp-blocked');
  assert.equal((await second.recorded('boot-stopped')).length, 1);
  assert.equal(second.usual.usualMs('', 'address'), 3000);
});

test('a machine that could not be heard because the server was down gets its whole time', async () => {
  const path = join(folder, 'down.db');
  const [store, clock] = [createMemoryStore(), new HandClock()];
  {
    await using first = await startDoctor({ path, store, clock });
    first.append(offer(), acknowledge());
    await clock.advance(5);
  }
  await clock.advance(600);
  await using second = await startDoctor({ path, store, clock, objects: [] });
  await clock.advance(20);
  assert.equal(second.verdicts.get('default/m1')?.state, 'booting');
  await clock.advance(40);
  assert.equal(second.verdicts.get('default/m1')?.cause, 'tftp-blocked');
});

test('a machine that the doctor of another server reports is only kept in memory', async () => {
  await using doctor = await startDoctor({ reports: false });
  doctor.append(offer(), acknowledge());
  await doctor.clock.advance(60);
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'tftp-blocked');
  assert.equal(await doctor.condition('m1'), undefined);
});

test('a Template that does not render is found when the workflow changes, without a packet', async () => {
  await using doctor = await startDoctor();
  await doctor.clock.advance(2);
  await doctor.create({ ...workflow, status: { templateRendering: 'failed' } });
  await doctor.clock.advance(4);
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'template-not-rendered');
});

test('a MAC with a typing error is found at the Hardware, until it is corrected', async () => {
  await using doctor = await startDoctor();
  await doctor.clock.advance(2);
  const machine = '52:54:00:00:00:10';
  doctor.append({
    source: 'dhcp',
    event: 'machine-unknown',
    machine,
    message: `${machine} (PXE firmware) asks to boot, is not registered and is not answered`,
    details: { architecture: 7, client: 'PXE firmware' },
  });
  await doctor.clock.advance(15);
  const verdict = doctor.verdicts.get('default/m1');
  assert.equal(verdict?.cause, 'mac-typo');
  assert.ok(verdict?.text.includes(machine) && verdict.text.includes(MAC), verdict?.text);
  await doctor.create(hardwareNamed('m2', machine));
  doctor.append(offer(machine));
  await doctor.clock.advance(5);
  doctor.append(offer());
  await doctor.clock.advance(5);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'booting');
});

test('a BMC next to its machine has no typing error', async () => {
  await using doctor = await startDoctor();
  doctor.append({
    source: 'dhcp',
    event: 'machine-unknown',
    machine: '52:54:00:00:00:02',
    message: 'asks for its address',
    details: { architecture: 255, client: 'BMC (Dell iDRAC)' },
  });
  await doctor.clock.advance(60);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'unseen');
});

test('the serial console says why a loaded kernel is silent', async () => {
  await using doctor = await startDoctor({
    objects: [hardwareNamed('m1'), { ...workflow, status: { state: 'PENDING' } }],
  });
  const transfer = (event: string) =>
    ({
      source: 'image',
      event,
      machine: MAC,
      message: event,
      details: { path: 'vmlinuz-x86_64', offset: 0 },
    }) as const;
  doctor.append(
    offer(),
    acknowledge(),
    { ...localBoot(), details: { outcome: 'hook' } },
    transfer('transfer-started'),
    transfer('transfer-completed'),
    {
      source: 'bmc',
      event: CONSOLE_OUTPUT,
      machine: MAC,
      message: 'Kernel panic - not syncing: No working init found.',
    },
  );
  await doctor.clock.advance(60);
  assert.equal(doctor.verdicts.get('default/m1')?.cause, 'kernel-panic');
});

test('durations are learned from boots that succeed', async () => {
  await using doctor = await startDoctor();
  for (let count = 0; count < 5; count += 1) {
    doctor.append(offer());
    await doctor.clock.advance(90);
    doctor.append(acknowledge(), localBoot());
    await doctor.clock.advance(400);
  }
  assert.equal(doctor.usual.usualMs('', 'address'), 90_000);
  doctor.append(offer());
  await doctor.clock.advance(90);
  assert.equal(doctor.verdicts.get('default/m1')?.state, 'booting', 'its model needs as long');
});

test('ten thousand machines at rest are checked once', async () => {
  const objects = Array.from({ length: 10_000 }, (_, at) =>
    hardwareNamed(
      `m${at}`,
      `52:54:00:${[at >> 16, (at >> 8) & 255, at & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`,
    ),
  );
  await using doctor = await startDoctor({ objects });
  await doctor.clock.advance(10);
  assert.equal(doctor.counters()['doctor_verdicts{state="unseen"}'], 10_000);
  const checks = doctor.counters()['doctor_checks_total'];
  await doctor.clock.advance(60);
  assert.equal(doctor.counters()['doctor_checks_total'], checks);
});

/** The memory store keeps old versions for its watches. The objects of this one are copies, which only its readers hold. */
function copyingStore(listed: WeakRef<Resource>[]): Store {
  const inner = createMemoryStore();
  return Object.assign(Object.create(inner) as Store, {
    get: inner.get.bind(inner),
    commit: inner.commit.bind(inner),
    watch: inner.watch.bind(inner),
    revision: inner.revision.bind(inner),
    async list(query: ListQuery) {
      const { items, ...rest } = await inner.list(query);
      const copies = items.map((item) => ({ ...item, object: structuredClone(item.object) }));
      for (const { object } of copies) listed.push(new WeakRef(object));
      return { ...rest, items: copies };
    },
  });
}

test('Hardware as it was at the start is not kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const listed: WeakRef<Resource>[] = [];
  const store = copyingStore(listed);
  await using doctor = await startDoctor({ store });
  await doctor.clock.advance(10);
  const key = { collection: 'hardware.tinkerbell.org', namespace: 'default', name: 'm1' };
  const { revision: expectedRevision = 0 } = (await store.get(key)) ?? {};
  const object = hardwareNamed('m1', '52:54:00:00:00:02');
  assert.ok((await store.commit([{ operation: 'update', key, object, expectedRevision }])).ok);
  await doctor.clock.advance(10);
  collect();
  assert.deepEqual([listed.length, listed.filter((one) => one.deref() !== undefined).length], [1, 0]);
});
