import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeHttp, nodeClock, nodeFiles } from '@tinkerbell/platform-node';
import { PlatformError, type HttpPeer, type HttpRequest, type Log } from '@tinkerbell/platform-contract';
import { createImagesService, type TransferProgress } from './index.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const MODIFIED = new Date('2026-01-02T03:04:05.678Z');
const LAST_MODIFIED = 'Fri, 02 Jan 2026 03:04:05 GMT';
const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 251));
let directory: string;
let etag: string;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'images-'));
  mkdirSync(join(directory, 'root/debian'), { recursive: true });
  writeFileSync(join(directory, 'root/digits'), '0123456789');
  utimesSync(join(directory, 'root/digits'), MODIFIED, MODIFIED);
  writeFileSync(join(directory, 'root/empty'), '');
  writeFileSync(join(directory, 'root/.hidden'), 'hidden');
  writeFileSync(join(directory, 'root/debian/disk image.img.zst'), large);
  writeFileSync(join(directory, 'outside'), 'outside');
  symlinkSync(join(directory, 'outside'), join(directory, 'root/link'));
  etag = (await ask('digits')).headers.get('etag') ?? '';
});
after(() => rmSync(directory, { recursive: true }));

function createService(
  onTransfer: (progress: TransferProgress) => void = () => {},
  onMissing: (peer: HttpPeer, path: string) => void = () => {},
) {
  const deps = { files: nodeFiles, clock: nodeClock, log: silentLog, onTransfer, onMissing };
  return createImagesService(deps, { directory: join(directory, 'root'), prefix: '/images/' });
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const reports: TransferProgress[] = [];
  const missing: string[] = [];
  const service = createService(
    (progress) => reports.push(progress),
    (peer, absent) => missing.push(`${peer.address} ${absent}`),
  );
  const request = new Request(`http://server/images/${path}`, { method, headers });
  const context = {
    peer: { address: '192.0.2.1', port: 5 },
    localAddress: '192.0.2.2',
    signal: new AbortController().signal,
  };
  const response = (await service.routes[0]?.handle(request, context)) ?? new Response(null, { status: 599 });
  return {
    status: response.status,
    headers: response.headers,
    body: await response.text(),
    reports,
    missing,
  };
}

test('a file is sent whole, with length, type and validators', async () => {
  const { status, headers, body } = await ask('digits');
  assert.deepEqual([status, body], [200, '0123456789']);
  assert.equal(headers.get('content-length'), '10');
  assert.equal(headers.get('content-type'), 'application/octet-stream');
  assert.equal(headers.get('last-modified'), LAST_MODIFIED);
  assert.equal(headers.get('accept-ranges'), 'bytes');
  assert.match(headers.get('etag') ?? '', /^"[0-9a-f]+-[0-9a-f]+"$/);
  assert.equal(
    (await ask('debian/disk%20image.img.zst', {}, 'HEAD')).headers.get('content-type'),
    'application/zstd',
  );
});

test('HEAD is the same without a body, for ranges too', async () => {
  const whole = await ask('digits', {}, 'HEAD');
  assert.deepEqual([whole.status, whole.headers.get('content-length'), whole.body], [200, '10', '']);
  assert.deepEqual(whole.reports, []);
});

test('an empty file has no body and no range', async () => {
  const whole = await ask('empty');
  assert.deepEqual([whole.status, whole.headers.get('content-length'), whole.body], [200, '0', '']);
  assert.equal((await ask('empty', { range: 'bytes=0-' })).status, 416);
});

test('a single range is partial content', async () => {
  const { status, headers, body } = await ask('digits', { range: 'bytes=2-5' });
  assert.deepEqual(
    [status, body, headers.get('content-range'), headers.get('content-length')],
    [206, '2345', 'bytes 2-5/10', '4'],
  );
  assert.equal((await ask('digits', { range: 'bytes=-3' })).body, '789');
  assert.equal((await ask('digits', { range: 'bytes=7-' })).body, '789');
});

test('bad ranges and too many are ignored, and one beyond the end is refused with the size', async () => {
  for (const range of [
    `bytes=${'0-0,'.repeat(16)}1-1`,
    'bytes=0-1,5-2',
    'bytes=5-2',
    'chars=0-1',
    'bytes=-',
  ]) {
    assert.deepEqual([(await ask('digits', { range })).status, range], [200, range]);
  }
  const beyond = await ask('digits', { range: 'bytes=10-' });
  assert.deepEqual(
    [beyond.status, beyond.headers.get('content-range'), beyond.body],
    [416, 'bytes */10', ''],
  );
});

test('If-Range keeps a range only while the file is the same', async () => {
  const partial = async (ifRange: string) =>
    (await ask('digits', { range: 'bytes=0-0', 'if-range': ifRange })).status;
  assert.equal(await partial(etag), 206);
  assert.equal(await partial(LAST_MODIFIED), 206);
  assert.equal(await partial('"other"'), 200);
  assert.equal(await partial(`W/${etag}`), 200, 'a weak validator never matches');
  assert.equal(await partial('Fri, 02 Jan 2026 03:04:06 GMT'), 200);
  assert.equal(await partial('yesterday'), 200);
});

test('preconditions answer 304 and 412 in the order of RFC 9110', async () => {
  const status = async (headers: Record<string, string>) => (await ask('digits', headers)).status;
  assert.equal(await status({ 'if-none-match': etag }), 304);
  assert.equal(await status({ 'if-none-match': `"x", W/${etag}` }), 304);
  assert.equal(await status({ 'if-none-match': '*' }), 304);
  assert.equal(await status({ 'if-none-match': '"x"', 'if-modified-since': LAST_MODIFIED }), 200);
  assert.equal(await status({ 'if-modified-since': LAST_MODIFIED }), 304);
  assert.equal(await status({ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }), 200);
  assert.equal(await status({ 'if-modified-since': 'not a date' }), 200);
  assert.equal(await status({ 'if-match': '"x"' }), 412);
  assert.equal(await status({ 'if-match': etag }), 200);
  assert.equal(await status({ 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }), 412);
  assert.equal(await status({ 'if-unmodified-since': LAST_MODIFIED }), 200);
  const notModified = await ask('digits', { 'if-none-match': etag, range: 'bytes=0-0' });
  assert.deepEqual([notModified.headers.get('etag'), notModified.body, notModified.reports], [etag, '', []]);
});

test('paths that climb, links that lead out, hidden names and folders are not found', async () => {
  const paths = [
    '',
    'debian',
    'debian/',
    'nothing',
    '../outside',
    '%2e%2e/outside',
    '..%2foutside',
    '%2e%2e%2foutside',
    'debian/..%5c..%5coutside',
    'link',
    '.hidden',
    '%2ehidden',
    'digits%00',
    'digits%0a',
    '%',
    '%zz',
    '/digits',
    'debian//x',
    `${'a/'.repeat(600)}x`,
  ];
  for (const path of paths) assert.equal((await ask(path)).status, 404, path);
});

test('other methods are refused', async () => {
  const { status, headers } = await ask('digits', {}, 'DELETE');
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
});

test('a transfer is reported from its start to its end', async () => {
  const { reports } = await ask('digits', { range: 'bytes=4-' });
  assert.deepEqual(
    reports.map(({ kind, path, offset, sentBytes, totalBytes, peer }) => [
      kind,
      path,
      offset,
      sentBytes,
      totalBytes,
      peer.address,
    ]),
    [
      ['started', 'digits', 4, 0, 6, '192.0.2.1'],
      ['completed', 'digits', 4, 6, 6, '192.0.2.1'],
    ],
  );
});

/** The service on a real HTTP listener. */
async function listening(use: (port: number, reports: TransferProgress[]) => Promise<void>): Promise<void> {
  const reports: TransferProgress[] = [];
  const route = createService((progress) => reports.push(progress)).routes[0]!;
  const handler = async (request: HttpRequest, context: Parameters<typeof route.handle>[1]) =>
    (await route.handle(request, context)) ?? new Response(null, { status: 404 });
  const server = await createNodeHttp(silentLog).listen({ port: 0, address: '127.0.0.1' }, handler);
  try {
    await use(server.local.port, reports);
  } finally {
    await server.close(0);
  }
}

const curl = '/usr/bin/curl';
test(
  'curl resumes a broken download',
  { skip: existsSync(curl) ? false : `${curl} is not installed` },
  async () => {
    await listening(async (port, reports) => {
      const to = join(directory, 'received');
      const url = `http://127.0.0.1:${port}/images/debian/disk%20image.img.zst`;
      await promisify(execFile)(curl, ['-sSf', '-o', to, url]);
      assert.deepEqual(readFileSync(to), large);
      truncateSync(to, 1_234_567);
      await promisify(execFile)(curl, ['-sSf', '-C', '-', '-o', to, url]);
      assert.deepEqual(readFileSync(to), large);
      const completed = () => reports.filter(({ kind }) => kind === 'completed').map(({ offset }) => offset);
      // The client may see the last byte before the server knows that it was the last.
      while (completed().length < 2) await new Promise(setImmediate);
      assert.deepEqual(completed(), [0, 1_234_567]);
    });
  },
);

test('a client that disconnects is reported as an incomplete transfer', async () => {
  execFileSync('truncate', ['-s', '200M', join(directory, 'root/huge')]);
  await listening(async (port, reports) => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /images/huge HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    while (reports.at(-1)?.kind !== 'broken-off') await new Promise(setImmediate);
    const { sentBytes, totalBytes } = reports.at(-1)!;
    assert.ok(sentBytes < totalBytes, `${sentBytes}`);
  });
});

test('reports missing files with the client and the path', async () => {
  assert.deepEqual((await ask('nothing.img')).missing, ['192.0.2.1 nothing.img']);
  assert.deepEqual((await ask('..%2foutside')).missing, ['192.0.2.1 /images/..%2foutside']);
  assert.deepEqual((await ask('digits')).missing, []);
});

test('while the directory is unreadable the answer is 503, and afterwards the file again', async () => {
  let isAway = true;
  const files: typeof nodeFiles = {
    ...nodeFiles,
    async stat(root, path) {
      if (isAway) throw new PlatformError('unavailable', 'ESTALE');
      return nodeFiles.stat(root, path);
    },
  };
  const deps = { files, clock: nodeClock, log: silentLog, onTransfer() {}, onMissing: () => assert.fail() };
  const service = createImagesService(deps, { directory: join(directory, 'root'), prefix: '/images/' });
  const answer = async () => {
    const request = new Request('http://server/images/digits');
    const peer = { address: '192.0.2.1', port: 5 };
    return service.routes[0]?.handle(request, { peer, localAddress: '192.0.2.2', signal: request.signal });
  };
  const away = await answer();
  assert.deepEqual([away?.status, away?.headers.get('retry-after')], [503, '5']);
  isAway = false;
  assert.equal((await answer())?.status, 200);
  assert.equal(samplesOf(service.metrics)['images_unavailable_total{prefix="/images/"}'], 1);
});

test('several ranges are sent as parts in the order of the file, and overlapping or adjacent ones are merged', async () => {
  const path = 'debian/disk%20image.img.zst';
  const { status, headers, body, reports } = await ask(path, { range: 'bytes=-4, 1000-1003,1002-1005' });
  const boundary = /^multipart\/byteranges; boundary=(\S+)$/.exec(headers.get('content-type') ?? '')?.[1];
  assert.equal(status, 206);
  const part = (start: number, end: number) =>
    `\r\n--${boundary}\r\ncontent-type: application/zstd\r\ncontent-range: bytes ${start}-${end}/3000000\r\n\r\n` +
    large.subarray(start, end + 1).toString('utf8');
  const expected = `${part(1000, 1005)}${part(2_999_996, 2_999_999)}\r\n--${boundary}--\r\n`;
  assert.equal(body, expected);
  assert.equal(headers.get('content-range'), null);
  assert.deepEqual(
    reports.map(({ kind, offset, sentBytes, totalBytes }) => [kind, offset, sentBytes, totalBytes]),
    [
      ['started', 1000, 0, 10],
      ['completed', 1000, 10, 10],
    ],
  );
  const near = await ask('digits', { range: 'bytes=0-1,3-4' });
  assert.deepEqual(
    [near.status, near.headers.get('content-range'), near.body],
    [206, 'bytes 0-4/10', '01234'],
  );
  assert.equal((await ask('digits', { range: 'bytes=20-,30-' })).status, 416);
  assert.equal((await ask('digits', { range: 'bytes=20-,3-3' })).body, '3');
});

test('the length of a multipart body is what is sent', async () => {
  await listening(async (port) => {
    const url = `http://127.0.0.1:${port}/images/debian/disk%20image.img.zst`;
    const headers = { range: 'bytes=0-0,500-1500000,2000000-' };
    const answer = await fetch(url, { headers });
    const length = Number(answer.headers.get('content-length'));
    assert.equal((await answer.arrayBuffer()).byteLength, length);
    assert.ok(length > 2_499_502 && length < 2_500_502, `${length}`);
  });
});

test('a compressed file beside the plain one is sent to clients that can decode it', async () => {
  const file = (name: string) => join(directory, 'root', name);
  for (const [name, content] of [
    ['list', 'plain list'],
    ['list.gz', 'gz'],
    ['list.zst', 'zst of it!'],
    ['new', 'plain'],
    ['new.gz', 'old'],
  ] as const) {
    writeFileSync(file(name), content);
    utimesSync(file(name), MODIFIED, MODIFIED);
  }
  utimesSync(file('new.gz'), new Date(0), new Date(0));
  const got = async (name: string, accept: string, rest: Record<string, string> = {}) => {
    const { body, headers } = await ask(name, { 'accept-encoding': accept, ...rest });
    assert.equal(headers.get('vary'), 'accept-encoding');
    return [body, headers.get('content-encoding'), headers.get('content-type')?.split(';')[0]];
  };
  const bytes = 'application/octet-stream';
  assert.deepEqual(await got('list', 'gzip, deflate, br, zstd'), ['zst of it!', 'zstd', bytes]);
  assert.deepEqual(await got('list', 'gzip'), ['gz', 'gzip', bytes]);
  assert.deepEqual(await got('list', 'zstd;q=0.5, GZIP;q=0.8'), ['gz', 'gzip', bytes]);
  assert.deepEqual(await got('list', 'zstd;q=0, identity'), ['plain list', null, bytes]);
  assert.deepEqual(await got('list', '*'), ['plain list', null, bytes]);
  assert.deepEqual(await got('new', 'gzip'), ['plain', null, bytes], 'the compressed one is older');
  assert.deepEqual(await got('list.gz', 'gzip'), ['gz', null, 'application/gzip']);
  assert.deepEqual(await got('list', 'zstd', { range: 'bytes=0-1' }), ['zs', 'zstd', bytes]);
  const [plain, zst] = [
    await ask('list', {}, 'HEAD'),
    await ask('list', { 'accept-encoding': 'zstd' }, 'HEAD'),
  ];
  assert.notEqual(plain.headers.get('etag'), zst.headers.get('etag'));
  assert.equal(zst.headers.get('content-length'), '10');
});
