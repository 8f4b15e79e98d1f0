/** Agents that exchange chunks, and peers of every kind that break: each disk is identical at the end. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { ActionResult } from '@tinkerbell/action-kit';
import { quietContext, serve } from '@tinkerbell/action-kit/testing';
import { PeerList, PEERS_PATH, readPeersRequest, SECRET_HEADER, type PeersAnswer } from '@tinkerbell/images';
import { nodeClock } from '@tinkerbell/platform-node';
import { image2diskAction } from '../image2disk.ts';
import { CHUNK, stored } from '../testing/stored-image.ts';

const HANGS = { timeout: 120_000 };
const PATH = '/v2/disks/one/manifests/v1';
const IMAGE = stored();
const CHUNKS = 31;
const directory = mkdtempSync(join(tmpdir(), 'image2disk-peers-'));
after(() => rmSync(directory, { recursive: true }));

interface Behaviour {
  /** How long each answer takes. */
  readonly slowMs?: number;
  /** How long each answer occupies the link, which all agents share. */
  readonly linkMs?: number;
  /** Replaces the answer of the list. */
  readonly answer?: (body: Uint8Array) => Promise<PeersAnswer | undefined> | PeersAnswer | undefined;
}

async function registry(context: TestContext, { slowMs = 0, linkMs = 0, answer }: Behaviour = {}) {
  let freeMs = 0;
  const list = new PeerList({ secret: () => 'a'.repeat(64), random: () => 0 });
  const seen = { sent: 0, asked: 0 };
  const listener: RequestListener = (request, response) => {
    const url = request.url ?? '';
    if (url === PEERS_PATH) {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', async () => {
        seen.asked += 1;
        const body = Buffer.concat(parts);
        const origin = { address: '127.0.0.1', isLoopback: true, nowMs: performance.now() };
        const answered = answer === undefined ? list.ask(readPeersRequest(body), origin) : await answer(body);
        if (answered === undefined) response.writeHead(404).end();
        else response.end(JSON.stringify(answered));
      });
      return;
    }
    if (url === PATH) return void response.end(IMAGE.manifest);
    const blob = IMAGE.blobs.get(url.split('/').at(-1) ?? '');
    if (blob === undefined) return void response.writeHead(404).end();
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '');
    if (range === null) return void response.end(blob);
    const body = blob.subarray(Number(range[1]), Number(range[2]) + 1);
    seen.sent += body.length;
    const headers = {
      'Content-Range': `bytes ${range[1]}-${range[2]}/${blob.length}`,
      'Content-Length': body.length,
    };
    freeMs = Math.max(freeMs, performance.now()) + linkMs;
    const waitMs = freeMs - performance.now() + slowMs;
    setTimeout(() => response.writeHead(206, headers).end(body), waitMs);
  };
  return { seen, address: await serve(context, listener) };
}

let disks = 0;
function dirtyDisk(): string {
  const path = join(directory, `disk-${(disks += 1)}`);
  writeFileSync(path, Buffer.alloc(48 * CHUNK, 0xaa));
  return path;
}

function run(address: string, disk: string, more: Record<string, string> = {}): Promise<ActionResult> {
  return image2diskAction.run(
    { IMG_URL: `${address}${PATH}`, DEST_DISK: disk, RETRY_ENABLED: 'true', ...more },
    quietContext({ clock: nodeClock }),
  );
}

function assertWritten(result: ActionResult, disk: string): void {
  assert.ok(result.ok, result.ok ? '' : result.error);
  assert.ok(readFileSync(disk).subarray(0, IMAGE.disk.length).equals(IMAGE.disk));
}

const messageOf = (result: ActionResult): string => (result.ok ? result.message : result.error);

test('agents that write one image load parts of it from each other', HANGS, async (context) => {
  const { seen, address } = await registry(context, { linkMs: 150 });
  const names = [dirtyDisk(), dirtyDisk(), dirtyDisk(), dirtyDisk()];
  const results = await Promise.all(names.map((disk) => run(address, disk)));
  for (const [index, result] of results.entries()) assertWritten(result, names[index]!);
  assert.ok(
    results.some((result) => / from other agents/.test(messageOf(result))),
    results.map(messageOf).join('\n'),
  );
  assert.ok(seen.sent < 4 * IMAGE.pack.length, `${seen.sent} of ${4 * IMAGE.pack.length}`);
});

test('with PEERS=false the server is not asked for peers', HANGS, async (context) => {
  const { seen, address } = await registry(context);
  const disk = dirtyDisk();
  assertWritten(await run(address, disk, { PEERS: 'false' }), disk);
  assert.deepEqual(seen, { sent: IMAGE.pack.length, asked: 0 });
});

test('a server that knows no peers is asked once', HANGS, async (context) => {
  const { seen, address } = await registry(context, { slowMs: 400, answer: () => undefined });
  const disk = dirtyDisk();
  assertWritten(await run(address, disk), disk);
  assert.deepEqual(seen, { sent: IMAGE.pack.length, asked: 1 });
});

/** What a peer sends instead of a chunk. */
const WRONG: Record<string, (socket: Socket) => void> = {
  'wrong bytes': (socket) => {
    const packed = zstdCompressSync(Buffer.alloc(CHUNK, 7));
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${packed.length}\r\n\r\n`);
    socket.write(packed);
  },
  'no zstd': (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'),
  'a bomb': (socket) => {
    const packed = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${packed.length}\r\n\r\n`);
    socket.write(packed);
  },
  nothing: () => {},
  'too much': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n');
    socket.write(Buffer.alloc(1024 * 1024));
  },
  'without an end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let count = 0; count < 8; count += 1) socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
  },
  'a drip': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 100);
    socket.on('close', () => clearInterval(timer));
  },
  'an end': (socket) => void socket.destroy(),
  'half of it': (socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\nxxxxx');
  },
  'huge headers': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1024 * 1024)}\r\n\r\n`);
  },
  'a redirect': (socket) => {
    socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n');
  },
  'busy for ever': (socket) => {
    socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  },
  noise: (socket) => void socket.end(createHash('sha256').update('noise').digest()),
};

async function wrongPeer(context: TestContext, act: (socket: Socket) => void): Promise<number> {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('data', () => act(socket));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  context.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const offer = (...ports: readonly number[]): PeersAnswer => ({
  place: 0,
  secret: 'b'.repeat(64),
  peers: ports.map((port) => ({ address: '127.0.0.1', port, have: [[0, CHUNKS]] })),
});

for (const [name, act] of Object.entries(WRONG))
  test(
    `a peer that sends ${name} costs the server no byte more, and the disk is right`,
    HANGS,
    async (context) => {
      const port = await wrongPeer(context, act);
      const { seen, address } = await registry(context, { slowMs: 20, answer: () => offer(port) });
      const disk = dirtyDisk();
      const result = await run(address, disk);
      assertWritten(result, disk);
      assert.equal(seen.sent, IMAGE.pack.length);
      if (name === 'wrong bytes') assert.match(messageOf(result), /, damaged chunks: \d from 127\.0\.0\.1$/);
    },
  );

test(
  'whatever mixture of peers is offered, the disk is right, and no byte is loaded twice',
  HANGS,
  async (context) => {
    const names = Object.keys(WRONG);
    const ports = await Promise.all(Object.values(WRONG).map((act) => wrongPeer(context, act)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: names.length - 1 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1024, max: 65_535 }), { maxLength: 6 }),
        async (chosen, closed) => {
          const offered = [...chosen.map((index) => ports[index]!), ...closed];
          const { seen, address } = await registry(context, { slowMs: 5, answer: () => offer(...offered) });
          const disk = dirtyDisk();
          assertWritten(await run(address, disk), disk);
          assert.equal(seen.sent, IMAGE.pack.length);
        },
      ),
      { numRuns: 12 },
    );
  },
);

test(
  'a server that answers noise, too much or nothing for peers is asked in vain',
  HANGS,
  async (context) => {
    const answers: RequestListener[] = [
      (_request, response) => response.end('{"place": 7}'),
      (_request, response) => response.end('x'.repeat(1024 * 1024)),
      () => {},
      (request) => request.socket.destroy(),
    ];
    for (const answer of answers) {
      const { address } = await registry(context);
      const target = new URL(address);
      const front = createServer((request, response) => {
        if (request.url === PEERS_PATH) return answer(request, response);
        response.writeHead(307, { location: new URL(request.url ?? '', target).href }).end();
      });
      const url = await serve(context, front.listeners('request')[0] as RequestListener);
      const disk = dirtyDisk();
      assertWritten(await run(url, disk), disk);
    }
  },
);

test(
  'a client gets chunks with the secret, of what the disk has, and nothing else',
  HANGS,
  async (context) => {
    let check: Promise<void> | undefined;
    const statusOf = async (port: number, path: string, init: RequestInit = {}): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
      await answer.arrayBuffer();
      return answer.status;
    };
    const secret = { headers: { [SECRET_HEADER]: 'b'.repeat(64) } };
    const { address } = await registry(context, {
      slowMs: 600,
      answer: (body) => {
        const { port, have } = readPeersRequest(body);
        const [[first] = [undefined]] = have;
        if (first !== undefined)
          check ??= (async () => {
            assert.equal(await statusOf(port, `/chunks/${first}`), 403);
            const wrong = { headers: { [SECRET_HEADER]: 'c'.repeat(64) } };
            assert.equal(await statusOf(port, `/chunks/${first}`, wrong), 403);
            assert.equal(await statusOf(port, `/chunks/${first}`, { ...secret, method: 'POST' }), 405);
            for (const path of [
              '/',
              '/chunks/',
              '/chunks/-1',
              '/chunks/9999999',
              '/chunks/1/../../etc/passwd',
            ])
              assert.equal(await statusOf(port, path, secret), 404, path);
            assert.equal(await statusOf(port, `/chunks/${CHUNKS - 1}`, secret), 404, 'not written yet');
            const huge = { headers: { ...secret.headers, x: 'y'.repeat(10_000) } };
            assert.equal(await statusOf(port, `/chunks/${first}`, huge), 431);
            assert.equal(await statusOf(port, `/chunks/${first}`, secret), 200);
          })();
        return offer();
      },
    });
    const disk = dirtyDisk();
    assertWritten(await run(address, disk), disk);
    assert.ok(check !== undefined, 'nothing was offered');
    await check;
  },
);
