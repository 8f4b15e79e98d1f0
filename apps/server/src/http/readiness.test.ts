import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@tinkerbell/platform-contract';
import { nodeClock } from '@tinkerbell/platform-node';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createReadiness, serverChecks, type Readiness, type RemoteStore } from './readiness.ts';

function serviceOf(name: string, health: ReturnType<Service['health']>): Service {
  const nothing = () => Promise.resolve();
  return { name, routes: [], start: nothing, stopped: nothing, health: () => health };
}

interface Given {
  readonly broken?: number;
  readonly listed?: boolean;
  readonly service?: ReturnType<Service['health']>;
  readonly cluster?: RemoteStore;
}

function readinessOf({ broken = 0, listed = true, service = { ready: true }, cluster }: Given = {}) {
  const store = createMemoryStore();
  const view = { ready: () => listed, brokenForMs: () => broken };
  const checks = serverChecks({ store, cluster, view, services: [serviceOf('boot', service)] });
  return { store, readiness: createReadiness(nodeClock, checks) };
}

async function probe(readiness: Readiness, path: string, isVerbose = false): Promise<Response> {
  const answer = await readiness.probe(path, isVerbose);
  assert.ok(answer !== undefined, path);
  return answer;
}

test('answers ok, and lists the checks with verbose', async () => {
  const { readiness } = readinessOf();
  const short = await probe(readiness, '/readyz', false);
  assert.deepEqual([short.status, await short.text()], [200, 'ok']);
  const long = await probe(readiness, '/readyz', true);
  assert.equal(
    await long.text(),
    '[+]store ok\n[+]view ok\n[+]boot ok\n[+]shutdown ok\nreadyz check passed\n',
  );
  assert.equal(await (await probe(readiness, '/healthz', false)).text(), 'ok');
  assert.equal(await (await probe(readiness, '/healthz', true)).text(), '[+]ping ok\nhealthz check passed\n');
});

test('names failed checks and their reasons', async () => {
  const { store, readiness } = readinessOf({ broken: 12_300, service: { ready: false } });
  store.get = () => Promise.reject(new Error('connection\nrefused'));
  const answer = await probe(readiness, '/readyz', false);
  assert.equal(answer.status, 503);
  assert.equal(
    await answer.text(),
    '[-]store failed: connection refused\n' +
      '[-]view failed: the watch of the store has been broken for 12 s\n' +
      '[-]boot failed: not ready\n[+]shutdown ok\nreadyz check failed\n',
  );
});

test('a disconnected cluster is a reason', async () => {
  const cluster = { failure: () => 'the Kubernetes API at http://c does not answer: ECONNREFUSED (for 3 s)' };
  const answer = await probe(readinessOf({ cluster }).readiness, '/readyz');
  assert.equal(answer.status, 503);
  assert.match(
    await answer.text(),
    /^\[\+\]store ok\n\[-\]cluster failed: the Kubernetes API at http:\/\/c does/,
  );
  const inTouch = readinessOf({ cluster: { failure: () => undefined } });
  assert.equal((await probe(inTouch.readiness, '/readyz')).status, 200);
});

test('a view that is not filled is not ready, but one that lost its watch a moment ago is', async () => {
  assert.equal((await probe(readinessOf({ listed: false }).readiness, '/readyz')).status, 503);
  assert.equal((await probe(readinessOf({ broken: 3_000 }).readiness, '/readyz')).status, 200);
});

test('a store that does not answer is a reason and does not hang the probe', async () => {
  const { store, readiness } = readinessOf();
  store.get = () => new Promise(() => undefined);
  const answer = await probe(readiness, '/readyz', true);
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /^\[-\]store failed: no answer within 900 ms\n\[\+\]view ok/);
});

test('reports a shutdown at once, and runs no checks', async () => {
  const { store, readiness } = readinessOf();
  store.get = () => assert.fail('the store may be closed already');
  readiness.shutDown();
  const answer = await probe(readiness, '/readyz', false);
  assert.equal(answer.status, 503);
  assert.equal(await answer.text(), '[-]shutdown failed: shutting down\nreadyz check failed\n');
  assert.equal((await probe(readiness, '/healthz', false)).status, 200);
});

test('livez is like healthz, and each check has its own path', async () => {
  const { readiness } = readinessOf({ service: { ready: false } });
  for (const path of [
    '/livez',
    '/livez/ping',
    '/healthz/ping',
    '/readyz/ping',
    '/readyz/store',
    '/readyz/view',
  ]) {
    const answer = await probe(readiness, path);
    assert.deepEqual([answer.status, await answer.text()], [200, 'ok'], path);
  }
  assert.equal((await probe(readiness, '/readyz/boot')).status, 503);
  assert.equal(await (await probe(readiness, '/livez', true)).text(), '[+]ping ok\nlivez check passed\n');
  for (const path of ['/livez/store', '/readyz/other', '/livez/', '/readyz/a/b', '/x/livez'])
    assert.equal(readiness.probe(path, false), undefined, path);
});
