import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, type OpenedConsole } from '@tinkerbell/engine-bmc';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import type { Resource } from '@tinkerbell/resources';
import type { Journal, JournalEntry } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { createSerialMetrics } from '../metrics.ts';
import { SharedConsoles } from '../shared-console.ts';
import { createConsoleRecorder, RECORD_ANNOTATION } from './console-recorder.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
/** Time that passes a thousand times as fast for code that waits for it. */
const hurried = {
  ...nodeClock,
  schedule: (ms: number, task: () => void) => nodeClock.schedule(ms / 1000, task),
};

/** Consoles by the host of their BMC. */
function consoles() {
  const writers = new Map<string, WritableStreamDefaultWriter<Uint8Array>>();
  const opened: string[] = [];
  let isBroken = false;
  return {
    opened,
    breakAll: (broken: boolean) => void (isBroken = broken),
    print: (host: string, text: string) => writers.get(host)?.write(new TextEncoder().encode(text)),
    end: (host: string) => writers.get(host)?.close(),
    connections: {
      openConsole({ host }: { readonly host: string }): Promise<OpenedConsole> {
        if (isBroken) return Promise.reject(new BmcError('unreachable', 'no route'));
        opened.push(host);
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const writer = writable.getWriter();
        writers.set(host, writer);
        const close = () => writer.close().catch(() => undefined);
        return Promise.resolve({
          provider: 'ipmitool',
          console: { output: readable, write: () => Promise.resolve(), [Symbol.asyncDispose]: close },
          [Symbol.asyncDispose]: close,
        });
      },
    },
  };
}

async function scene(recordsAll = false) {
  const store = createMemoryStore();
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const put = async (collection: string, object: Resource): Promise<void> => {
    const key = { collection, namespace: 'lab', name: object.metadata.name };
    const known = await store.get(key);
    const result = await store.commit([
      known === undefined
        ? { operation: 'create', key, object }
        : { operation: 'update', key, object, expectedRevision: known.revision },
    ]);
    assert.ok(result.ok);
  };
  const bmc = (name: string, host: string) =>
    put('machines.bmc.tinkerbell.org', {
      apiVersion: 'bmc.tinkerbell.org/v1alpha1',
      kind: 'Machine',
      metadata: { name, namespace: 'lab', uid: name },
      spec: { connection: { host, insecureTLS: true } },
    });
  const hardware = (name: string, annotation?: string) =>
    put('hardware.tinkerbell.org', {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Hardware',
      metadata: {
        name,
        namespace: 'lab',
        uid: name,
        ...(annotation === undefined ? {} : { annotations: { [RECORD_ANNOTATION]: annotation } }),
      },
      spec: {
        bmcRef: { kind: 'Machine', name },
        userData: 'password: correct-horse',
        interfaces: [{ dhcp: { mac: `08:00:27:00:00:0${name.slice(1)}` } }],
      },
    });
  const entries: JournalEntry[] = [];
  const journal = { append: (entry: JournalEntry) => void entries.push(entry) } as Journal;
  const machines = consoles();
  const recorder = createConsoleRecorder(
    {
      view,
      journal,
      clock: hurried,
      log,
      consoles: new SharedConsoles(machines.connections),
      metrics: createSerialMetrics(new MetricSet()),
    },
    { recordsAll },
  );
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    bmc,
    hardware,
    machines,
    recorder,
    until,
    start: () => recorder.start(stopping.signal),
    seen: () => entries.map(({ event, message, machine }) => `${machine?.slice(-1)} ${event} ${message}`),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await recorder.stopped();
    },
  };
}

const timeout = 20_000;

test('records the machines that ask for it, without secrets', { timeout }, async () => {
  await using site = await scene();
  for (const name of ['m1', 'm2']) await site.bmc(name, `host-${name}`);
  await site.hardware('m1', 'true');
  await site.hardware('m2');
  await site.start();
  await site.until(() => site.machines.opened.length === 1);
  await site.machines.print('host-m1', 'GRUB\r\nroot: correct-horse\r\nlogin: ');
  await site.until(() => site.seen().length === 3);
  assert.deepEqual(site.seen(), [
    '1 console-printed GRUB',
    '1 console-printed root: ***',
    '1 console-printed login:',
  ]);
  await site.hardware('m2', 'true');
  await site.until(() => site.machines.opened.length === 2);
  await site.hardware('m1', 'false');
  await site.bmc('m2', 'host-other');
  await site.until(() => site.machines.opened.length === 3);
  assert.deepEqual(site.machines.opened, ['host-m1', 'host-m2', 'host-other']);
});

test('with the flag, records all but those that decline', { timeout }, async () => {
  await using site = await scene(true);
  for (const name of ['m1', 'm2']) await site.bmc(name, `host-${name}`);
  await site.hardware('m1');
  await site.hardware('m2', 'false');
  await site.start();
  await site.until(() => site.machines.opened.length === 1);
  assert.deepEqual(site.machines.opened, ['host-m1']);
});

test('opens a lost console again, and reports the loss once', { timeout }, async () => {
  await using site = await scene();
  await site.bmc('m1', 'host');
  await site.hardware('m1', 'true');
  site.machines.breakAll(true);
  await site.start();
  await site.until(() => site.seen().length === 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(site.seen(), [
    '1 console-lost the serial console of m1 is not recorded: unreachable: no route',
  ]);
  site.machines.breakAll(false);
  await site.until(() => site.machines.opened.length === 1);
  await site.machines.print('host', 'back\n');
  await site.until(() => site.seen().length === 2);
  await site.machines.end('host');
  await site.until(() => site.machines.opened.length === 2);
  assert.deepEqual(site.seen().slice(1), [
    '1 console-printed back',
    '1 console-lost the serial console of m1 is not recorded: the BMC has ended the console',
  ]);
});
