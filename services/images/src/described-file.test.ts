import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeClock, nodeFiles } from '@tinkerbell/platform-node';
import { createImagesService } from './index.ts';
import { requestImage } from './testing/images-request.ts';

const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const directory = mkdtempSync(join(tmpdir(), 'described-file-'));
after(() => rmSync(directory, { recursive: true }));

test('one file in memory keeps apart its own name, its encoding for another name, parts and conditions', async () => {
  const modified = new Date('2026-01-02T03:04:05.678Z');
  for (const name of ['page.txt', 'page.txt.gz']) {
    writeFileSync(join(directory, name), `${name} has some bytes`);
    utimesSync(join(directory, name), modified, modified);
  }
  let nowMs = 0;
  const clock = { ...nodeClock, monotonicMs: () => nowMs };
  const events = { onTransfer() {}, onMissing() {} };
  const service = createImagesService(
    { files: nodeFiles, clock, log: silentLog, ...events },
    { directory, prefix: '/images/' },
  );
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await requestImage(service, path, headers);
    assert.ok(answer !== undefined);
    const get = (name: string): string | null => answer.headers.get(name);
    return {
      status: answer.status,
      encoding: get('content-encoding'),
      etag: get('etag'),
      text: await answer.text(),
    };
  };
  const accepting = { 'accept-encoding': 'gzip' };
  const first = await ask('page.txt', accepting);
  for (let round = 0; round < 2; round += 1) {
    const plain = await ask('page.txt');
    assert.deepEqual([plain.encoding, plain.text], [null, 'page.txt has some bytes']);
    const direct = await ask('page.txt.gz');
    assert.deepEqual([direct.encoding, direct.text], [null, 'page.txt.gz has some bytes']);
    assert.equal(new Set([first.etag, plain.etag, direct.etag]).size, 3);
    assert.deepEqual(await ask('page.txt', accepting), { ...direct, encoding: 'gzip', etag: first.etag });
    const part = await ask('page.txt', { range: 'bytes=0-3' });
    assert.deepEqual(part, { ...plain, status: 206, text: 'page' });
    assert.equal((await ask('page.txt', { 'if-none-match': plain.etag ?? '' })).status, 304);
    assert.deepEqual(await ask('page.txt'), plain);
  }
  const before = (await ask('page.txt')).etag;
  writeFileSync(join(directory, 'page.txt'), 'other bytes');
  nowMs += 2000;
  const changed = await ask('page.txt');
  assert.equal(changed.text, 'other bytes');
  assert.notEqual(changed.etag, before);
});
