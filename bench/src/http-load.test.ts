import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { httpLoad, httpLoads, requestText } from './http-load.ts';

async function loadOn(server: Server, rate?: number) {
  await using scope = new AsyncDisposableStack();
  const plan = await planFor(server, scope);
  return await httpLoad({ scope }, rate === undefined ? plan : { ...plan, rate });
}

async function planFor(server: Server, scope: AsyncDisposableStack) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const requests = [requestText({ host: 'a', path: '/' })];
  return { host: '127.0.0.1', port, requests, connections: 2, seconds: 1 };
}

test('all requests are answered by a server that keeps its connections', async () => {
  const result = await loadOn(createServer((_, response) => response.end('ok')));
  assert.ok(result.requests > 2, String(result.requests));
  assert.equal(result.failures, 0);
});

test('a connection that the server closes is opened again, and counts as a failure', async () => {
  let answered = 0;
  const server = createServer((request, response) => {
    answered += 1;
    if (answered % 5 === 0) request.socket.destroy();
    else response.end('ok');
  });
  const { requests, failures } = await loadOn(server);
  assert.ok(requests > 10, String(requests));
  assert.ok(failures >= Math.floor(requests / 5), `${failures} of ${requests}`);
});

test('requests that nobody answers have failed', async () => {
  const { requests, failures } = await loadOn(
    createServer(() => undefined),
    20,
  );
  assert.ok(requests > 2, String(requests));
  assert.equal(failures, requests);
});

test('no load begins when another one cannot connect', async () => {
  await using scope = new AsyncDisposableStack();
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('ok');
  });
  const plan = await planFor(server, scope);
  await assert.rejects(httpLoads({ scope }, [plan, { ...plan, port: 1 }]), /ECONNREFUSED/);
  assert.equal(asked, 0);
});

test('the load says what it took', async () => {
  const { processorSeconds, busyPart } = await loadOn(createServer((_, response) => response.end('ok')));
  assert.ok(processorSeconds > 0 && processorSeconds < 5, String(processorSeconds));
  assert.ok(busyPart > 0 && busyPart <= 1, String(busyPart));
});
