/**
 * Sends requests that no client should send to the real server. Each gets the status that clients of
 * Kubernetes expect, memory stays bounded, and the process continues.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';
import { startServer, type ServerChild } from './start-server.ts';

const COLLECTION = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';
const GIGABYTE = 1024 ** 3;
/** Far less than what is sent. */
const GROWTH_MAX_MEGABYTES = 150;
let server: ServerChild;

before(async () => {
  server = await startServer();
  await send('POST', COLLECTION, { body: JSON.stringify(hardware('m1')) });
});
after(() => server[Symbol.asyncDispose]());

function hardware(name: string, spec: object = {}) {
  return { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata: { name }, spec };
}

interface Answer {
  readonly code: number;
  readonly status: { readonly reason?: string; readonly message?: string; readonly details?: object };
}

async function send(
  method: string,
  path: string,
  { body, contentType = 'application/json' }: { readonly body: string; readonly contentType?: string },
): Promise<Answer> {
  const response = await server.request(`${server.url}${path}`, {
    method,
    headers: { 'content-type': contentType },
    body,
  });
  return { code: response.status, status: (await response.json()) as Answer['status'] };
}

async function isAlive(): Promise<void> {
  const response = await server.request(`${server.url}${COLLECTION}/m1`);
  assert.equal(response.status, 200);
  await response.body?.cancel();
}

function megabytes(): number {
  const text = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]) / 1024;
}

function rawConnection(): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

test('a body of a gigabyte is refused early', async () => {
  const beforeMegabytes = megabytes();
  let refusal = await sendGigabyte();
  // A server that closes on unread bytes resets the connection, and a reset may overtake the answer on a busy host.
  for (let again = 0; again < 5 && refusal.said === ''; again += 1) refusal = await sendGigabyte();
  assert.match(refusal.said, /^HTTP\/1.1 413 /);
  assert.match(refusal.said, /"reason":"RequestEntityTooLarge"/);
  assert.ok(refusal.sent < GIGABYTE / 4, `${refusal.sent} bytes were accepted`);
  assert.ok(megabytes() - beforeMegabytes < GROWTH_MAX_MEGABYTES);
  await isAlive();
});

async function sendGigabyte(): Promise<{ readonly said: string; readonly sent: number }> {
  const socket = await rawConnection();
  const { hostname } = new URL(server.url);
  const { authorization } = localAuthorization(server.dataDirectory);
  socket.write(
    `POST ${COLLECTION} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${GIGABYTE}\r\n\r\n`,
  );
  const said: string[] = [];
  let sent = 0;
  socket.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
  const isOver = new Promise((resolve) => socket.once('close', resolve));
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  while (!socket.destroyed && said.length === 0 && sent < GIGABYTE) {
    sent += chunk.length;
    if (!socket.write(chunk))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), isOver]);
  }
  socket.destroy();
  return { said: said.join(''), sent };
}

test('a value that is too deep, too large when expanded, or not an object is a bad request', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const lists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const levels = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let level = 1; level < 9; level += 1) {
    const [from, to] = [String.fromCharCode(96 + level), String.fromCharCode(97 + level)];
    levels.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(',')}]`);
  }
  const bodies: readonly [string, string][] = [
    [deep, 'application/json'],
    [lists, 'application/json'],
    [levels.join('\n'), 'application/yaml'],
    ['a: [\n', 'application/yaml'],
    ['{"a":', 'application/json'],
    ['null', 'application/json'],
    ['"text"', 'application/json'],
    ['', 'application/json'],
    ['\u0000\u0001', 'application/json'],
  ];
  for (const [body, type] of bodies) {
    const { code, status } = await send('POST', COLLECTION, { body, contentType: type });
    assert.ok([400, 413, 422].includes(code), `${code} for ${body.slice(0, 40)}`);
    assert.ok((status.message ?? '').length > 10 && (status.message ?? '').length < 2000);
  }
  await isAlive();
});

test('names of JavaScript properties are ordinary names, and pollute nothing', async () => {
  const body = `{"apiVersion":"tinkerbell.org/v1alpha1","kind":"Hardware","metadata":{"name":"proto","labels":{"constructor":"x"}},"__proto__":{"spec":{"polluted":true}},"spec":{"__proto__":{"agentID":"evil"}}}`;
  const { code } = await send('POST', COLLECTION, { body });
  assert.ok([201, 400, 422].includes(code), String(code));
  const { status } = await send('POST', COLLECTION, { body: JSON.stringify(hardware('clean')) });
  assert.doesNotMatch(JSON.stringify(status), /evil|polluted/);
});

test('wrong types and unknown fields are reported with their paths, and a stale revision is a conflict', async () => {
  const wrong = await send('POST', COLLECTION, {
    body: JSON.stringify(hardware('w', { interfaces: 'none' })),
  });
  assert.deepEqual([wrong.code, wrong.status.reason], [422, 'Invalid']);
  assert.match(wrong.status.message ?? '', /spec\.interfaces/);
  const strict = `${COLLECTION}?fieldValidation=Strict`;
  const unknown = await send('POST', strict, { body: JSON.stringify(hardware('w', { interfacez: [] })) });
  assert.ok([400, 422].includes(unknown.code), String(unknown.code));
  assert.match(unknown.status.message ?? '', /interfacez/);
  const stale = { ...hardware('m1'), metadata: { name: 'm1', resourceVersion: '1' } };
  const conflict = await send('PUT', `${COLLECTION}/m1`, { body: JSON.stringify(stale) });
  assert.deepEqual([conflict.code, conflict.status.reason], [409, 'Conflict']);
});

test('watchers that read nothing or disconnect early do not keep their memory', async () => {
  const beforeMegabytes = megabytes();
  const { hostname } = new URL(server.url);
  const { authorization } = localAuthorization(server.dataDirectory);
  const sockets = await Promise.all(Array.from({ length: 200 }, rawConnection));
  for (const [index, socket] of sockets.entries()) {
    socket.pause();
    socket.write(
      `GET ${COLLECTION}?watch=true HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\n\r\n`,
    );
    if (index % 2 === 0) socket.end();
  }
  for (let round = 0; round < 50; round += 1) {
    const annotations = { filling: 'x'.repeat(20_000), round: String(round) };
    const patch = JSON.stringify({ metadata: { annotations } });
    const { code } = await send('PATCH', `${COLLECTION}/m1`, {
      body: patch,
      contentType: 'application/merge-patch+json',
    });
    assert.equal(code, 200);
  }
  // 200 watchers of 50 changes of 20 kB would be 200 MB, if they were kept.
  assert.ok(megabytes() - beforeMegabytes < GROWTH_MAX_MEGABYTES, `${megabytes() - beforeMegabytes} MB more`);
  for (const socket of sockets) socket.destroy();
  await isAlive();
});

test('thousands of idle connections do not stop it from answering', async () => {
  const beforeMegabytes = megabytes();
  const sockets: Socket[] = [];
  // In parts, because the backlog of a small machine is short.
  for (let opened = 0; opened < 5000; opened += 250)
    sockets.push(...(await Promise.all(Array.from({ length: 250 }, rawConnection))));
  await isAlive();
  assert.ok(megabytes() - beforeMegabytes < GROWTH_MAX_MEGABYTES, `${megabytes() - beforeMegabytes} MB more`);
  for (const socket of sockets) socket.destroy();
});
