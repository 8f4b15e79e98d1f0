/** Clients of the API that do not read their answers, through real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { HeldBytes, type Log } from '@tinkerbell/platform-contract';
import { createNodeHttp } from '@tinkerbell/platform-node';
import type { Resource } from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import { base, startedApi } from './testing/started-api.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error: assert.fail, child: () => silentLog };
const MEGABYTE = 1024 * 1024;
const collection = 'hardware.tinkerbell.org';

async function served() {
  const api = await startedApi();
  const heldBytes = new HeldBytes(32 * MEGABYTE);
  const server = await createNodeHttp(silentLog, { heldBytes }).listen(
    { port: 0, address: '127.0.0.1' },
    (request, context) => api.handle(request, context),
  );
  const url = `http://127.0.0.1:${server.local.port}`;
  const sockets: Socket[] = [];
  return {
    api,
    url,
    held: () => heldBytes.bytes() + api.counters()['api_watch_waiting_bytes']!,
    counters: () => api.counters(),
    /** Resolves when the server has started to answer. Then nothing more is read. */
    async stalled(path: string): Promise<Socket> {
      const socket = connect(server.local.port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      await once(socket, 'readable');
      return socket;
    },
    leave(): void {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server.close(0);
      await api[Symbol.asyncDispose]();
    },
  };
}

async function putHardware(store: Store, name: string, filling: string): Promise<void> {
  const key = { collection, namespace: 'default', name };
  const object = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'default', annotations: { filling } },
    spec: { interfaces: [{ dhcp: { mac: '52:54:00:00:00:01' } }] },
  } as Resource;
  const before = await store.get(key);
  const { ok } = await store.commit([
    before === undefined
      ? { operation: 'create', key, object }
      : { operation: 'update', key, object, expectedRevision: before.revision },
  ]);
  assert.ok(ok);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function processMegabytes(): number {
  return process.memoryUsage.rss() / MEGABYTE;
}

test('watches', async () => {
  await using server = await served();
  const beforeMegabytes = processMegabytes();
  for (let index = 0; index < 150; index += 1) await server.stalled(`${base}/hardware?watch=true`);
  for (let round = 0; round < 40; round += 1) {
    await putHardware(server.api.store, 'a', `${round} ${'x'.repeat(900_000)}`);
    await new Promise(setImmediate);
    assert.ok(server.held() <= 64 * MEGABYTE, `${server.held()} bytes are held`);
  }
  // 150 watches of 40 changes of 900 kB are 5.4 GB, if each kept its own copy.
  assert.ok(processMegabytes() - beforeMegabytes < 1000);
  await until(() => server.counters()['api_watches_too_slow_total'] === 150);
  server.leave();
  await until(() => server.counters()['api_open_streams'] === 0 && server.held() === 0);
});

test('lists', async () => {
  await using server = await served();
  for (let index = 0; index < 60; index += 1)
    await putHardware(server.api.store, `m${index}`, 'x'.repeat(500_000));
  const beforeMegabytes = processMegabytes();
  for (let index = 0; index < 40; index += 1) {
    await server.stalled(`${base}/hardware`);
    assert.ok(server.held() <= 32 * MEGABYTE, `${server.held()} bytes are held`);
  }
  // 40 lists of 30 MB are 1.2 GB, if each were built at once.
  assert.ok(processMegabytes() - beforeMegabytes < 600);
  const whole = (await (await fetch(`${server.url}${base}/hardware`)).json()) as { items: unknown[] };
  assert.equal(whole.items.length, 60);
  server.leave();
  await until(() => server.held() === 0);
});

test('timelines, logs and the audit', async () => {
  await using server = await served();
  await putHardware(server.api.store, 'a', '');
  const message = 'x'.repeat(8000);
  for (let index = 0; index < 4000; index += 1)
    server.api.journal.append({ source: 'dhcp', event: 'offer-sent', machine: '52:54:00:00:00:01', message });
  for (const path of [`${base}/hardware/a/timeline?watch=true`, `${base}/hardware/a/timeline`]) {
    for (let index = 0; index < 50; index += 1) await server.stalled(path);
    await until(() => server.held() > 0);
    assert.ok(server.held() <= 50 * 2 * 2 * 250_000, `${server.held()} bytes are held`);
    server.leave();
    await until(() => server.held() === 0);
  }
  const text = await (await fetch(`${server.url}${base}/hardware/a/timeline`)).text();
  assert.equal(text.trimEnd().split('\n').length, 4000);
});
