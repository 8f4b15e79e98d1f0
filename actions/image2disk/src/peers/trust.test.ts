/** What an agent keeps from others: chunks over TLS, and bytes that its disk has changed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { zstdDecompressSync } from 'node:zlib';
import { quietContext, serve } from '@tinkerbell/action-kit/testing';
import { PEERS_PATH, SECRET_HEADER, SendBudget } from '@tinkerbell/images';
import { nodeClock } from '@tinkerbell/platform-node';
import { openChunkDisk } from '../chunked/chunk-disk.ts';
import { ChunkThreads } from '../chunked/chunk-threads.ts';
import { image2diskAction } from '../image2disk.ts';
import { CHUNK, digestOf, stored } from '../testing/stored-image.ts';
import { PeerServer } from './peer-server.ts';

const HANGS = { timeout: 120_000 };
const PATH = '/v2/disks/one/manifests/v1';
const IMAGE = stored();
const SECRET = 'b'.repeat(64);
const directory = mkdtempSync(join(tmpdir(), 'image2disk-trust-'));
after(() => rmSync(directory, { recursive: true }));

const listeners = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;

function registry() {
  const seen = { asked: 0, listeners: 0 };
  const answer: RequestListener = ({ url = '', headers }, response) => {
    if (url === PATH) return void response.end(IMAGE.manifest);
    if (url === PEERS_PATH) seen.asked += 1;
    const blob = IMAGE.blobs.get(url.split('/').at(-1) ?? '');
    if (blob === undefined) return void response.writeHead(404).end();
    const range = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '');
    if (range === null) return void response.end(blob);
    seen.listeners = Math.max(seen.listeners, listeners());
    const body = blob.subarray(Number(range[1]), Number(range[2]) + 1);
    response.writeHead(206, { 'Content-Range': `bytes ${range[1]}-${range[2]}/${blob.length}` }).end(body);
  };
  return { seen, answer };
}

async function serveTls(context: TestContext, answer: RequestListener): Promise<string> {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const subject = ['-subj', '/CN=x', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', ...options, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  });
  const cert = readFileSync(certificate, 'utf8');
  setDefaultCACertificates([cert]);
  const server = createServer({ key: readFileSync(key), cert }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('with https in IMG_URL an agent neither serves nor asks peers', HANGS, async (context) => {
  const disk = join(directory, 'disk');
  const seenOf = async (start: typeof serve) => {
    const { seen, answer } = registry();
    const origin = await start(context, answer);
    const before = listeners();
    writeFileSync(disk, '');
    const environment = { IMG_URL: `${origin}${PATH}`, DEST_DISK: disk };
    const result = await image2diskAction.run(environment, quietContext({ clock: nodeClock }));
    assert.ok(result.ok, result.ok ? '' : result.error);
    assert.ok(readFileSync(disk).equals(IMAGE.disk));
    return { asked: seen.asked, serves: seen.listeners - before };
  };
  assert.deepEqual(await seenOf(serve), { asked: 1, serves: 1 });
  assert.deepEqual(await seenOf(serveTls), { asked: 0, serves: 0 });
});

test('a disk that returns other bytes than were written sends nothing', HANGS, async () => {
  const path = join(directory, 'lying');
  const bytes = Buffer.from(IMAGE.disk.subarray(0, CHUNK));
  writeFileSync(path, bytes);
  const ended = new AbortController();
  await using disk = await openChunkDisk(path, { sizeBytes: undefined, imageBytes: CHUNK }, ended.signal);
  await using threads = new ChunkThreads();
  threads.allocate({ chunkBytes: CHUNK }, { slots: 1, servingSlots: 1 });
  const chunk = {
    position: 0,
    diskOffset: 0,
    diskLength: CHUNK,
    stored: { digest: digestOf(bytes), pack: 0, offset: 0, length: CHUNK },
  };
  await using server = await PeerServer.open({
    disk,
    threads,
    budget: new SendBudget(),
    clock: nodeClock,
    signal: ended.signal,
    secrets: () => [SECRET],
    chunkAt: () => chunk,
  });
  const ask = (): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}/chunks/0`, { headers: { [SECRET_HEADER]: SECRET } });
  const right = await ask();
  assert.ok(zstdDecompressSync(Buffer.from(await right.arrayBuffer())).equals(bytes));
  for (const at of [0, 4096, CHUNK - 1]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    writeFileSync(path, changed);
    const wrong = await ask();
    assert.deepEqual([wrong.status, (await wrong.arrayBuffer()).byteLength], [404, 0]);
  }
  writeFileSync(path, bytes.subarray(0, CHUNK / 2));
  assert.equal((await ask()).status, 404);
});
