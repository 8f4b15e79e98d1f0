import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { httpLoad, requestText } from './http-load.ts';

async function loadOn(server: Server, rate?: number) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using scope = new AsyncDisposableStack();
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const plan = { host: '127.0.0.1', port, requests: [requestText({ host: 'a', path: '/' })] };
  const paced = rate === undefined ? {} : { rate };
  return await httpLoad({ scope }, { ...plan, connections: 2, seconds: 1, ...paced });
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
