import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { CLIENT_PORT, decodePacket, encodePacket, messageType } from '@tinkerbell/dhcp';
import type { ServerPort } from '@tinkerbell/platform-contract';
import { tryNetwork, tryPorts } from './network-trial.ts';

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

test('each port is asked in its protocol, and one without a server is silent', async () => {
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
  const tried = await tryPorts(HOST, [
    { name: 'HTTP', asks: 'tcp', port: http },
    { name: 'gRPC', asks: 'tcp', port: closed },
    { name: 'TFTP', asks: 'tftp', port: tftp.address().port },
  ]);
  assert.deepEqual(
    tried.map(({ name, outcome }) => `${name} ${outcome}`),
    ['HTTP answered', 'gRPC silent', 'TFTP answered'],
  );
  assert.match(String(Object(tried[1]).reason), /ECONNREFUSED/);
  assert.deepEqual(asked, ['\0\u0001tink-doctor-check\0octet\0']);
});

test('ports are asked from the own address that is given', async () => {
  await using cleanup = new AsyncDisposableStack();
  const [tftp, own] = [await tftpServer(cleanup), '127.0.0.9'];
  const peers: string[] = [];
  tftp.on('message', (_, { address, port }) => {
    peers.push(address);
    tftp.send('\0\u0005\0\u0001not found\0', port, address);
  });
  const server = createServer((socket) => {
    peers.push(String(socket.remoteAddress));
    socket.destroy();
  }).listen(0, HOST);
  await once(server, 'listening');
  cleanup.defer(() => void server.close());
  const ports = [
    { name: 'HTTP', asks: 'tcp', port: Number(Object(server.address()).port) },
    { name: 'TFTP', asks: 'tftp', port: tftp.address().port },
  ] as const;
  const tried = await tryPorts(HOST, ports, own);
  assert.deepEqual([...new Set(tried.map(({ outcome }) => outcome))], ['answered']);
  assert.deepEqual(peers, [own, own]);
  const elsewhere = await tryPorts(HOST, ports, '192.0.2.1');
  assert.deepEqual([...new Set(elsewhere.map(({ outcome }) => outcome))].includes('answered'), false);
});

const skip = process.getuid?.() === 0 ? false : 'needs root, for the port of DHCP clients';

test('DHCP is asked with an INFORM of this host, and only the answer to it counts', { skip }, async () => {
  const server = createSocket('udp4').bind(0, HOST);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => void server.close());
  await once(server, 'listening');
  const asked: (number | undefined)[] = [];
  let answersOthers = true;
  server.on('message', (bytes) => {
    const request = decodePacket(bytes);
    assert.ok(request.ok);
    asked.push(request.value.options.messageType);
    const transactionId = request.value.transactionId + (answersOthers ? 1 : 0);
    const answer = encodePacket({ ...request.value, op: 'reply', transactionId });
    assert.ok(answer.ok);
    server.send(answer.bytes, CLIENT_PORT, request.value.ciaddr);
  });
  const port: ServerPort = { name: 'DHCP', asks: 'dhcp', port: server.address().port };
  assert.deepEqual(await tryPorts(HOST, [port]), [
    { ...port, outcome: 'silent', reason: 'nothing within 3 s' },
  ]);
  answersOthers = false;
  assert.deepEqual(await tryPorts(HOST, [port]), [{ ...port, outcome: 'answered' }]);
  assert.deepEqual(asked, [messageType.inform, messageType.inform]);
});

test('only addresses that somebody holds are among the holders', async () => {
  const probe = {
    holderOf: (address: string) =>
      Promise.resolve(address === '192.0.2.1' ? { mac: '52:54:00:00:00:09' } : undefined),
  };
  const { holders } = await tryNetwork(
    { host: HOST, ports: [], addresses: ['192.0.2.1', '192.0.2.2'] },
    probe,
  );
  assert.deepEqual([...holders], [['192.0.2.1', { mac: '52:54:00:00:00:09' }]]);
});
