/** With the WebSocket of Node (undici), and consoles in memory. */
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { BmcError, type OpenedConsole } from '@tinkerbell/engine-bmc';
import type { Authorizer } from '@tinkerbell/platform-contract';
import { createNodeHttp, createNodeLog, nodeClock } from '@tinkerbell/platform-node';
import type { Resource } from '@tinkerbell/resources';
import type { Journal, JournalEntry } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { SharedConsoles } from './shared-console.ts';
import { createWebConsole } from './web-console.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const PROTOCOL = 'tinkerbell.console.v1';
const timeout = 20_000;

/** Each machine repeats what is typed, in capitals. */
function echoing() {
  const printers: WritableStreamDefaultWriter<Uint8Array>[] = [];
  let failure: Error | undefined;
  const openConsole = (): Promise<OpenedConsole> => {
    if (failure !== undefined) return Promise.reject(failure);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    printers.push(writer);
    const close = () => writer.close().catch(() => undefined);
    const write = (bytes: Uint8Array) =>
      writer.write(Buffer.from(Buffer.from(bytes).toString().toUpperCase()));
    return Promise.resolve({
      provider: 'intelamt',
      console: { output: readable, write, [Symbol.asyncDispose]: close },
      [Symbol.asyncDispose]: close,
    });
  };
  return {
    printers,
    fail: (error: Error) => (failure = error),
    connections: { openConsole, close: () => Promise.resolve() },
  };
}

const object = (kind: string, name: string, spec: object): Resource => ({
  apiVersion: 'tinkerbell.org/v1alpha1',
  kind,
  metadata: { name, namespace: 'lab', uid: name },
  spec,
});

async function started({ idleMs = 60_000 } = {}) {
  const store = createMemoryStore();
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  const objects: readonly (readonly [string, Resource])[] = [
    [
      'machines.bmc.tinkerbell.org',
      object('Machine', 'bmc', { connection: { host: '192.0.2.9', insecureTLS: true } }),
    ],
    ['hardware.tinkerbell.org', object('Hardware', 'm1', { bmcRef: { kind: 'Machine', name: 'bmc' } })],
    ['hardware.tinkerbell.org', object('Hardware', 'm2', {})],
  ];
  for (const [collection, one] of objects) {
    const key = { collection, namespace: 'lab', name: one.metadata.name };
    assert.ok((await store.commit([{ operation: 'create', key, object: one }])).ok);
  }
  await view.start(stopping.signal);
  const timeline: JournalEntry[] = [];
  const journal = { append: (entry: JournalEntry) => void timeline.push(entry) } as Journal;
  const machines = echoing();
  let isAllowed = true;
  const asked: unknown[] = [];
  const authorizer = {
    decide: (_: unknown, question: unknown) => {
      asked.push(question);
      return { allowed: isAllowed, reason: 'no role of m allows it' };
    },
  } as unknown as Authorizer;
  const { connections } = machines;
  const consoles = new SharedConsoles(connections);
  const route = createWebConsole(
    { view, journal, clock: nodeClock, log, connections, authorizer, consoles, sessions: { count: 0 } },
    { idleMs },
  );
  const server = await createNodeHttp(log).listen(
    { port: 0, address: '127.0.0.1' },
    async (request, context) => (await route.handle(request, context)) ?? new Response(null, { status: 404 }),
  );
  const { port } = server.local;
  return {
    ...machines,
    route,
    port,
    asked,
    timeline,
    deny: () => (isAllowed = false),
    open: (name = 'm1', protocols: string[] = [PROTOCOL]) =>
      new Client(`ws://127.0.0.1:${port}/consoles/lab/${name}`, protocols),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.close(0);
      await consoles.close();
    },
  };
}

class Client {
  readonly socket: WebSocket;
  text = '';
  readonly ended: Promise<string>;

  constructor(url: string, protocols: string[]) {
    this.socket = new WebSocket(url, protocols);
    this.socket.binaryType = 'arraybuffer';
    this.socket.addEventListener(
      'message',
      ({ data }) => (this.text += Buffer.from(data as ArrayBuffer).toString()),
    );
    this.socket.addEventListener('error', () => undefined);
    this.ended = new Promise((resolve) =>
      this.socket.addEventListener('close', ({ code, reason }) => resolve(`${code} ${reason}`)),
    );
  }

  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) {
      if (this.socket.readyState === WebSocket.CLOSED) assert.fail(`closed: ${await this.ended}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async opened(): Promise<void> {
    while (this.socket.readyState === WebSocket.CONNECTING)
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(this.socket.readyState, WebSocket.OPEN);
  }
}

/** Asks for a WebSocket, and reads the answer of one that is refused. */
function refused(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    };
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, headers: { ...upgrade, ...headers } },
      (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => resolve(text.trim()));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

test('two pages share the console of a machine', { timeout }, async () => {
  await using site = await started();
  const [one, other] = [site.open(), site.open()];
  await one.opened();
  await other.opened();
  assert.equal(one.socket.protocol, PROTOCOL);
  one.socket.send('uname\r');
  await Promise.all([one.until('UNAME\r'), other.until('UNAME\r')]);
  other.socket.send(Uint8Array.of(0x6c, 0x73));
  await one.until('LS');
  assert.equal(site.printers.length, 1);
  assert.deepEqual(site.asked[0], {
    verb: 'create',
    group: 'tinkerbell.org',
    resource: 'hardware',
    subresource: 'console',
    namespace: 'lab',
    name: 'm1',
  });
  one.socket.close();
  await one.ended;
  await site.printers[0]?.write(Buffer.from('still here'));
  await other.until('still here');
  await site.printers[0]?.close();
  assert.match(await other.ended, /^1011 the BMC has ended the console$/);
  const events = (): readonly string[] => site.timeline.map(({ event }) => event);
  while (events().length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(events().toSorted(), [
    'console-closed',
    'console-closed',
    'console-opened',
    'console-opened',
  ]);
});

test('keys are typed in order, and a BMC that fails says why', { timeout }, async () => {
  await using site = await started();
  const page = site.open('m1', []);
  await page.opened();
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index}\r`);
  for (const line of lines) page.socket.send(line);
  await page.until('LINE 299');
  assert.equal(page.text, lines.join('').toUpperCase());
  page.socket.send('x'.repeat(70_000));
  assert.match(await page.ended, /^1009 /);
  site.fail(new BmcError('wrong-credentials', `10.0.0.9 refused the login ${'é'.repeat(200)}`));
  assert.match(await site.open().ended, /^1011 wrong-credentials: 10\.0\.0\.9 refused the login é+$/);
});

test('an idle page is disconnected', { timeout }, async () => {
  await using site = await started({ idleMs: 50 });
  assert.equal(await site.open().ended, '1011 nothing happened for 0 minutes');
});

test('whoever may not open it, and what is not a console, gets an answer of HTTP', { timeout }, async () => {
  await using site = await started();
  const { port } = site;
  const path = '/consoles/lab';
  assert.match(await refused(port, `${path}/m2`), /^409 hardware\/m2 has no BMC: set spec\.bmcRef/);
  assert.match(await refused(port, `${path}/m9`), /^404 there is no hardware lab\/m9$/);
  assert.match(await refused(port, path), /^404 /);
  assert.match(await refused(port, `${path}/m1/more`), /^404 /);
  assert.match(
    await refused(port, `${path}/m1`, { 'sec-websocket-protocol': 'other' }),
    /^400 offer the WebSocket protocol/,
  );
  assert.match(await refused(port, `${path}/m1`, { 'sec-websocket-version': '7' }), /^400/);
  const plain = await fetch(`http://127.0.0.1:${port}${path}/m1`);
  assert.deepEqual(
    [plain.status, plain.headers.get('upgrade'), await plain.text()],
    [426, 'websocket', 'this path is a WebSocket\n'],
  );
  const h2c = await fetch(`http://127.0.0.1:${port}${path}/m9`);
  assert.equal(h2c.status, 404);
  site.deny();
  assert.match(await refused(port, `${path}/m1`), /^403 no role of m allows it$/);
  assert.equal(site.printers.length, 0);
  assert.deepEqual(site.timeline, []);
});

test('a page sends its token as a protocol, as with Kubernetes', async () => {
  await using site = await started();
  const of = (headers: Record<string, string>) =>
    site.route.authorizationOf?.(new Request('http://a/', { headers }));
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('a.b-c').toString('base64url')}`;
  assert.equal(of({ 'sec-websocket-protocol': `${PROTOCOL}, ${token}` }), 'Bearer a.b-c');
  assert.equal(of({ authorization: 'Bearer x', 'sec-websocket-protocol': token }), 'Bearer x');
  assert.equal(of({ 'sec-websocket-protocol': PROTOCOL }), undefined);
});

test('an error that nobody expected ends the session, and not the server', { timeout }, async () => {
  await using site = await started();
  site.fail(new Error('the store is gone'));
  assert.equal(await site.open().ended, '1011 the console cannot be opened; the log of the server says why');
});
