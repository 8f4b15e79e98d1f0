/** The end of the server while a client neither closes its connection nor resets it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { runningServer } from '../testing/running-server.ts';

/** The limit only ends tests that hang. */
const REAL = { timeout: 60_000 };
/** RFC 9113, section 3.4, and an empty SETTINGS frame of section 6.5. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

/** As from a machine without power, no end of the connection ever comes: `allowHalfOpen` answers none with its own. */
async function silentClient(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/** Whether the server has reset it. A connection that it only ended still takes one write. */
async function isReset(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('error', () => resolve(true));
    socket.write('x', (error) => resolve(error instanceof Error));
  });
}

test('a connection whose client never closes it is reset after the grace period', REAL, async () => {
  const server = await runningServer();
  const socket = await silentClient(server.service.port());
  socket.write(PREFACE);
  await once(socket, 'data');
  socket.resume();
  await server[Symbol.asyncDispose]();
  assert.ok(await isReset(socket));
});

test('a connection without an HTTP/2 session is reset as well', REAL, async () => {
  const server = await runningServer();
  const socket = await silentClient(server.service.port());
  socket.resume();
  await server[Symbol.asyncDispose]();
  assert.ok(await isReset(socket));
});

test('connections with TLS are reset, during and after the handshake', REAL, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'shut-down-'));
  try {
    const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'];
    execFileSync('openssl', [...words, '-out', certFile, '-keyout', keyFile], { stdio: 'ignore' });
    const server = await runningServer({ tls: { certFile, keyFile } });
    const [early, late] = [
      await silentClient(server.service.port()),
      await silentClient(server.service.port()),
    ];
    const session = connectTls({ socket: late, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    session.on('error', () => undefined);
    await once(session, 'secureConnect');
    session.write(PREFACE);
    await once(session, 'data');
    session.resume();
    early.resume();
    await server[Symbol.asyncDispose]();
    assert.ok(await isReset(early));
    assert.ok(await isReset(session));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
