import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { checkPorts } from './port-checks.ts';

const HOST = '127.0.0.1';

async function listening(cleanup: AsyncDisposableStack): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, HOST);
  await once(server, 'listening');
  cleanup.defer(() => void server.close());
  return Number(Object(server.address()).port);
}

async function tftpServer(cleanup: AsyncDisposableStack): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, HOST);
  await once(socket, 'listening');
  cleanup.defer(() => void socket.close());
  return socket;
}

test('ports that answer are fine, and a port without a server has failed, each with its protocol', async () => {
  await using cleanup = new AsyncDisposableStack();
  const http = await listening(cleanup);
  const tftp = await tftpServer(cleanup);
  const asked: string[] = [];
  tftp.on('message', (request, { address, port }) => {
    asked.push(request.toString('latin1'));
    tftp.send('\0\u0005\0\u0001not found\0', port, address);
  });
  await using closing = new AsyncDisposableStack();
  const closed = await listening(closing);
  await closing.disposeAsync();
  const checks = await checkPorts({ host: HOST, http, grpc: closed, tftp: tftp.address().port });
  assert.deepEqual(
    checks.map(({ state }) => state),
    ['ok', 'failed', 'ok'],
  );
  assert.match(
    checks[1]?.message ?? '',
    /^gRPC, tcp\/\d+ of 127\.0\.0\.1 does not answer this host: .*ECONNREFUSED/,
  );
  assert.deepEqual(asked, ['\0\u0001tink-doctor-check\0octet\0']);
});
