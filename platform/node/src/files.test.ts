/**
 * Tests links in a folder of files. Nothing outside is ever read, whatever replaces a path after its check.
 */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  readFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { createNodeHttp, nodeFiles } from './index.ts';
import type { Log } from '@tinkerbell/platform-contract';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const folder = mkdtempSync(join(tmpdir(), 'files-'));
const root = join(folder, 'images');
const SECRET = 'secret-of-outside';
const INSIDE = 'public-of-inside!';

for (const name of ['images/sub', 'images/other', 'images-secret', 'outside/deep'])
  mkdirSync(join(folder, name), { recursive: true });
for (const name of ['images-secret/file', 'outside/file', 'outside/deep/file'])
  writeFileSync(join(folder, name), SECRET);
for (const name of ['images/file', 'images/sub/file', 'images/other/file'])
  writeFileSync(join(folder, name), INSIDE);
after(() => rmSync(folder, { recursive: true }));

const whole = { start: 0, end: SECRET.length - 1 };

/** All ways to access a file. Each returns undefined or fails where the file does not exist. */
async function everyWay(path: string): Promise<readonly (string | undefined)[]> {
  const decode = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
  const info = await nodeFiles.stat(root, path);
  return [
    info && 'seen',
    decode(await nodeFiles.read(root, path, 100)),
    decode((await nodeFiles.readRange(root, path, whole))?.bytes),
    (await nodeFiles.names(root, path)).join() || undefined,
    await text(nodeFiles.stream(root, info?.realPath ?? path, whole)).catch(() => undefined),
  ];
}

const escapes: Readonly<Record<string, string>> = {
  'to-file': '../outside/file',
  'to-file-absolutely': join(folder, 'outside/file'),
  'to-folder': '../outside',
  'to-sibling': '../images-secret',
  'to-sibling-file': '../images-secret/file',
  chain: 'chain-1',
  'chain-1': 'sub/chain-2',
  'sub/chain-2': '../../outside/deep',
  loop: 'loop',
  nowhere: '../outside/nothing',
  'to-parent': '..',
  'through-proc': `/proc/${process.pid}/cwd`,
};
for (const [name, target] of Object.entries(escapes)) symlinkSync(target, join(root, name));

test('no link leads out of the folder, or to a sibling whose name begins the same', async () => {
  const paths = Object.keys(escapes).flatMap((name) => [
    name,
    `${name}/file`,
    `${name}/deep/file`,
    `${name}/images-secret/file`,
    `sub/../${name}/file`,
  ]);
  for (const path of [...paths, '../images-secret/file', '../outside/file', '..'])
    assert.deepEqual(await everyWay(path), Array(5).fill(undefined), path);
});

test('a link within the folder leads to its file, whose own path is reported', async () => {
  symlinkSync('sub', join(root, 'inner'));
  assert.deepEqual(await everyWay('inner/file'), ['seen', INSIDE, INSIDE, undefined, INSIDE]);
  assert.equal((await nodeFiles.stat(root, 'inner/file'))?.realPath, 'sub/file');
  assert.equal((await nodeFiles.readRange(root, 'inner/file', whole))?.info.realPath, 'sub/file');
  assert.equal((await nodeFiles.stat(root, ''))?.realPath, '');
  symlinkSync(root, join(folder, 'linked-root'));
  assert.equal((await nodeFiles.stat(join(folder, 'linked-root'), 'inner/file'))?.realPath, 'sub/file');
  assert.equal(await text(nodeFiles.stream(join(folder, 'linked-root'), 'sub/file', whole)), INSIDE);
});

test('a named pipe or device is not a file, and reading it does not block', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  assert.equal(await nodeFiles.read(root, 'pipe', 100), undefined);
  assert.equal(await nodeFiles.readRange(root, 'pipe', whole), undefined);
  await assert.rejects(text(nodeFiles.stream(root, 'pipe', whole)));
});

/** What may replace `swapped/file` between the check and the read. */
const swaps: Readonly<Record<string, () => void>> = {
  'its folder by a link to outside'() {
    renameSync(join(root, 'swapped'), join(root, 'gone'));
    symlinkSync('../outside', join(root, 'swapped'));
  },
  'its folder by a link within'() {
    renameSync(join(root, 'swapped'), join(root, 'gone'));
    symlinkSync('other', join(root, 'swapped'));
  },
  'the file by a link to outside'() {
    unlinkSync(join(root, 'swapped/file'));
    symlinkSync('../../outside/file', join(root, 'swapped/file'));
  },
  'the file by a link within'() {
    unlinkSync(join(root, 'swapped/file'));
    symlinkSync('../other/file', join(root, 'swapped/file'));
  },
};

for (const [name, swap] of Object.entries(swaps)) {
  test(`a stream fails after the replacement of ${name}, also as the body of an answer`, async () => {
    const fresh = () => {
      for (const each of ['swapped', 'gone']) rmSync(join(root, each), { recursive: true, force: true });
      mkdirSync(join(root, 'swapped'));
      writeFileSync(join(root, 'swapped/file'), INSIDE);
    };
    fresh();
    const { realPath = '' } = (await nodeFiles.stat(root, 'swapped/file')) ?? {};
    const stream = nodeFiles.stream(root, realPath, whole);
    swap();
    await assert.rejects(text(stream), /swapped\/file/);
    fresh();
    await using server = await createNodeHttp(silentLog).listen(
      { port: 0, address: '127.0.0.1' },
      async () => {
        const body = nodeFiles.stream(root, realPath, whole);
        swap();
        return new Response(body, { headers: { 'content-length': `${SECRET.length}` } });
      },
    );
    const response = await fetch(`http://127.0.0.1:${server.local.port}/`);
    await assert.rejects(response.text());
  });
}

test('a folder that is repeatedly replaced by a link never returns what the link leads to', async () => {
  mkdirSync(join(root, 'flipping'));
  writeFileSync(join(root, 'flipping/file'), INSIDE);
  symlinkSync('../outside', join(root, 'other-side'));
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { renameSync } = require('node:fs');
     const { workerData: { root, stop } } = require('node:worker_threads');
     const at = (name) => root + '/' + name;
     while (Atomics.load(stop, 0) === 0) {
       renameSync(at('flipping'), at('aside')); renameSync(at('other-side'), at('flipping'));
       renameSync(at('flipping'), at('other-side')); renameSync(at('aside'), at('flipping'));
     }`,
    { eval: true, workerData: { root, stop } },
  );
  const seen = { inside: 0, absent: 0 };
  for (let round = 0; round < 3000; round += 1) {
    const range = await nodeFiles.readRange(root, 'flipping/file', whole);
    const bytes = range?.bytes ?? (await nodeFiles.read(root, 'flipping/file', 100));
    const found = bytes === undefined ? undefined : Buffer.from(bytes).toString();
    assert.ok(found === undefined || found === INSIDE, `${found} in round ${round}`);
    seen[found === undefined ? 'absent' : 'inside'] += 1;
  }
  Atomics.store(stop, 0, 1);
  await new Promise((resolve) => worker.once('exit', resolve));
  assert.ok(seen.inside > 0);
  assert.equal(readFileSync(join(root, 'flipping/file'), 'utf8'), INSIDE);
});
