import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { createTokenSigner, newSigningKey } from '@tinkerbell/platform-jwt';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { nodeClock } from '@tinkerbell/platform-node';
import { issue, startGateway, type GatewayBench } from './testing/gateway-bench.ts';

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.dispose]: () => void server.close() };
}

function listener(rest = '', certificate = 'a') {
  return `listeners: [{name: web, address: 127.0.0.1, port: 0, tls: {certificates: [{certFile: FOLDER/${certificate}.pem, keyFile: FOLDER/${certificate}.key}]${rest}}}]\n`;
}

async function tls(bench: GatewayBench, options: object = {}): Promise<TLSSocket> {
  const port = bench.gateway.portOf('web');
  const socket = tlsConnect({
    host: '127.0.0.1',
    port,
    servername: 'a.example.org',
    ca: bench.ca,
    ...options,
  });
  await once(socket, 'secureConnect');
  return socket;
}

async function get(socket: TLSSocket, path = '/', fields = ''): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.example.org\r\n${fields}\r\n`);
  return String((await once(socket, 'data'))[0]);
}

const upstreamSaying = (word: string) =>
  listening(
    createServer(
      (request, response) => void response.end(`${word} ${String(request.headers['x-user'] ?? '')}`),
    ),
  );

test('applies new routes and certificates without dropping a connection, and ignores an invalid file', async () => {
  using one = await upstreamSaying('one');
  using two = await upstreamSaying('two');
  const text = (port: number) =>
    `${listener()}routes: [{name: r, upstream: {endpoints: "127.0.0.1:${port}"}}]\n`;
  await using bench = await startGateway(text(one.port));
  const socket = await tls(bench);
  assert.match(await get(socket), /one/);
  const serial = socket.getPeerCertificate().serialNumber;
  await bench.use('routes: [{nam: x}]');
  assert.match(await get(socket), /one/);
  assert.equal(samplesOf(bench.gateway.metrics)['gateway_reloads_total{result="refused"}'], 1);
  const renewed = issue(['*.example.org'], {
    certificate: bench.ca,
    key: (await import('node:fs')).readFileSync(join(bench.folder, 'ca.key'), 'utf8'),
  });
  writeFileSync(join(bench.folder, 'a.pem'), renewed.certificate);
  writeFileSync(join(bench.folder, 'a.key'), renewed.key);
  await bench.use(text(two.port));
  assert.match(await get(socket), /two/);
  const later = await tls(bench);
  assert.notEqual(later.getPeerCertificate().serialNumber, serial);
  assert.equal(later.getProtocol(), 'TLSv1.3');
  for (const each of [socket, later]) each.destroy();
});

test('does not start with an invalid file, and reports the line', async () => {
  await assert.rejects(
    startGateway('routes:\n  - {nam: x}\n'),
    /routes\.yaml:2:6: routes\[0\]\.nam is unknown; did you mean name\?/,
  );
});

test('refuses TLS 1.2 unless it is allowed, and clients without a required certificate', async () => {
  await using bench = await startGateway(listener());
  await assert.rejects(tls(bench, { maxVersion: 'TLSv1.2' }), /protocol version/);
  await bench.use(listener(', minVersion: "1.2"'));
  (await tls(bench, { maxVersion: 'TLSv1.2' })).destroy();
  await bench.use(listener(', clientCaFile: FOLDER/ca.pem'));
  const without = await tls(bench);
  await assert.rejects(once(without, 'data'), /certificate required/);
  const fs = await import('node:fs');
  const read = (name: string) => fs.readFileSync(join(bench.folder, name), 'utf8');
  const within = await tls(bench, { cert: read('a.pem'), key: read('a.key') });
  assert.match(await get(within), /404/);
  within.destroy();
});

test('chooses the certificate by the name that the client requests', async () => {
  await using bench = await startGateway(listener());
  const other = issue(['b.example.net'], {
    certificate: bench.ca,
    key: (await import('node:fs')).readFileSync(join(bench.folder, 'ca.key'), 'utf8'),
  });
  writeFileSync(join(bench.folder, 'b.pem'), other.certificate);
  writeFileSync(join(bench.folder, 'b.key'), other.key);
  await bench.use(listener().replace('}]}', '}, {certFile: FOLDER/b.pem, keyFile: FOLDER/b.key}]}'));
  for (const [servername, name] of [
    ['b.example.net', 'DNS:b.example.net'],
    ['x.example.org', 'DNS:*.example.org'],
  ] as const) {
    const socket = await tls(bench, { servername });
    assert.equal(socket.getPeerCertificate().subjectaltname, name);
    socket.destroy();
  }
});

test('of two certificates of one name, the client gets the one whose key it supports', async () => {
  await using bench = await startGateway(listener());
  const authority = { certificate: bench.ca, key: readFileSync(join(bench.folder, 'ca.key'), 'utf8') };
  const rsa = issue(['*.example.org'], authority, 'rsa');
  writeFileSync(join(bench.folder, 'rsa.pem'), rsa.certificate);
  writeFileSync(join(bench.folder, 'rsa.key'), rsa.key);
  await bench.use(
    listener(', minVersion: "1.2"').replace('}]', '}, {certFile: FOLDER/rsa.pem, keyFile: FOLDER/rsa.key}]'),
  );
  for (const [ciphers, bits] of [
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 384],
    ['ECDHE-RSA-AES128-GCM-SHA256', 2048],
    ['AES128-GCM-SHA256', 2048],
  ] as const) {
    const socket = await tls(bench, { maxVersion: 'TLSv1.2', ciphers });
    assert.equal(socket.getPeerCertificate().bits, bits, ciphers);
    socket.destroy();
  }
});

test('admits only clients with a valid token, and sends the upstream their names', async () => {
  using upstream = await upstreamSaying('in');
  const signer = await createTokenSigner({
    key: await newSigningKey(),
    issuer: 'https://issuer',
    clock: nodeClock,
  });
  const stranger = await createTokenSigner({
    key: await newSigningKey(),
    issuer: 'https://issuer',
    clock: nodeClock,
  });
  await using bench = await startGateway('');
  writeFileSync(join(bench.folder, 'keys.json'), JSON.stringify(signer.publicKeys));
  await bench.use(
    `${listener()}routes: [{name: r, upstream: {endpoints: "127.0.0.1:${upstream.port}"}, middlewares: {validateJwt: {issuer: "https://issuer", jwksFile: FOLDER/keys.json, audiences: [tink], claimsToHeaders: {sub: X-User}}}}]\n`,
  );
  const ask = async (token: string) => {
    const socket = await tls(bench);
    const fields = token === '' ? '' : `Authorization: Bearer ${token}\r\n`;
    const answer = await get(socket, '/', `${fields}X-User: root\r\nx_user: root\r\n`);
    socket.destroy();
    return answer;
  };
  assert.match(await ask(await signer.sign({ aud: 'tink', sub: 'ann' }, 60)), /^HTTP\/1\.1 200[^]*in ann/);
  assert.match(await ask(''), /^HTTP\/1\.1 401[^]*www-authenticate: Bearer\r\n/);
  assert.match(await ask('x'), /^HTTP\/1\.1 401[^]*www-authenticate: Bearer error="invalid_token"/);
  assert.match(await ask(await signer.sign({ aud: 'other' }, 60)), /another audience/);
  assert.match(await ask(await signer.sign({ aud: 'tink' }, -120)), /has expired/);
  assert.match(await ask(await stranger.sign({ aud: 'tink' }, 60)), /no such key/);
});

test('forwards TCP, with the address of the client if configured', async () => {
  const said: Buffer[] = [];
  using upstream = await listening(
    createTcp((socket) => {
      socket.on('data', (bytes: Buffer) => {
        said.push(bytes);
        if (bytes.includes('forth')) socket.end('back');
      });
    }),
  );
  await using bench = await startGateway(
    `forwards: [{name: f, protocol: tcp, listen: "127.0.0.1:0", to: ["127.0.0.1:1", "127.0.0.1:${upstream.port}"], proxyProtocol: true}]`,
  );
  const socket = connect(bench.gateway.portOf('f'), '127.0.0.1');
  socket.write('forth');
  const [answer] = await once(socket, 'data');
  assert.equal(String(answer), 'back');
  const bytes = Buffer.concat(said);
  assert.deepEqual([...bytes.subarray(12, 24)], [0x21, 0x11, 0, 12, 127, 0, 0, 1, 127, 0, 0, 1]);
  assert.equal(bytes.readUInt16BE(24), socket.localPort);
  socket.destroy();
});

test('forwards UDP per client, and follows a server that answers from another port', async () => {
  const server = createSocket('udp4');
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('message', (bytes, peer) => {
    const transfer = createSocket('udp4');
    transfer.once('message', (more) => {
      transfer.send(`then ${String(more)}`, peer.port, peer.address, () => transfer.close());
    });
    transfer.send(`first ${String(bytes)}`, peer.port, peer.address);
  });
  await using bench = await startGateway(
    `forwards: [{name: f, protocol: udp, listen: "127.0.0.1:0", to: "127.0.0.1:${server.address().port}", sessionsMax: 2}]`,
  );
  const port = bench.gateway.portOf('f');
  for (const name of ['a', 'b']) {
    const client = createSocket('udp4');
    client.send(name, port, '127.0.0.1');
    assert.equal(String((await once(client, 'message'))[0]), `first ${name}`);
    client.send('more', port, '127.0.0.1');
    assert.equal(String((await once(client, 'message'))[0]), 'then more');
    client.close();
  }
  const third = createSocket('udp4');
  third.send('c', port, '127.0.0.1');
  const failed = 'gateway_forward_failed_total{forward="f"}';
  while (samplesOf(bench.gateway.metrics)[failed] !== 1) await new Promise(setImmediate);
  third.close();
  server.close();
});

test('a reload during the stop leaves no port open', { timeout: 120_000 }, async () => {
  for (let turns = 0; turns < 8; turns += 1) {
    const bench = await startGateway('listeners: [{name: web, address: 127.0.0.1, port: 0}]\n');
    const reload = bench.gateway.reload();
    for (let turn = 0; turn < turns; turn += 1) await turnOfTheLoop();
    await bench[Symbol.asyncDispose]();
    await reload;
    assert.equal(bench.gateway.portOf('web'), 0, `stopped ${turns} turns after`);
  }
});
