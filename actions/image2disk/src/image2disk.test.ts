import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import type { ActionResult, Progress } from '@tinkerbell/action-kit';
import { quickClock, serve } from '@tinkerbell/action-kit/testing';

import { image2diskAction } from './image2disk.ts';

const MEBIBYTE = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'image2disk-test-'));
after(() => rmSync(directory, { recursive: true }));

/** Data, a long run of zeros across buffers, data, and an end that is not a multiple of any block. */
const IMAGE = Buffer.concat([
  randomBytes(MEBIBYTE),
  Buffer.alloc(9 * MEBIBYTE),
  randomBytes(5 * MEBIBYTE + 12_345),
]);

test('writes raw, gzip, zstd, xz and bzip2 images, by extension or by first bytes', async (context) => {
  const images: Record<string, Buffer> = {
    '/image.raw': IMAGE,
    '/image.raw.gz': gzipSync(IMAGE),
    '/image.zst': zstdCompressSync(IMAGE),
    '/image.xz': execFileSync('xz', ['-0c'], { input: IMAGE, maxBuffer: 64 * MEBIBYTE }),
    '/image.bz2': execFileSync('bzip2', ['-1c'], { input: IMAGE, maxBuffer: 64 * MEBIBYTE }),
    '/no-extension': zstdCompressSync(IMAGE),
  };
  const address = await serve(context, (request, response) => {
    response.end(images[request.url ?? '']);
  });
  for (const path of Object.keys(images)) {
    const disk = dirtyDisk();
    assertOk(await run({ IMG_URL: `${address}${path}`, DEST_DISK: disk }));
    assert.ok(readFileSync(disk).subarray(0, IMAGE.length).equals(IMAGE), path);
  }
});

test('overwrites the old content of the disk where the image has zeros', async (context) => {
  const address = await serve(context, (_request, response) => response.end(IMAGE));
  const disk = dirtyDisk();
  assertOk(await run({ IMG_URL: `${address}/i`, DEST_DISK: disk }));
  const written = readFileSync(disk);
  assert.ok(written.subarray(0, IMAGE.length).equals(IMAGE));
  assert.ok(
    written.subarray(IMAGE.length).every((byte) => byte === 0xaa),
    'beyond the image nothing changes',
  );
});

test('writes to a block device', async (context) => {
  const disk = dirtyDisk();
  let device: string;
  try {
    device = execFileSync('losetup', ['-f', '--show', disk], { stdio: 'pipe' }).toString().trim();
  } catch {
    context.skip('needs root and loop devices');
    return;
  }
  context.after(() => execFileSync('losetup', ['-d', device]));
  const address = await serve(context, (_request, response) => response.end(IMAGE));
  assertOk(await run({ IMG_URL: `${address}/i`, DEST_DISK: device }));
  assert.ok(readFileSync(device).subarray(0, IMAGE.length).equals(IMAGE));
});

test('resumes a dropped download with range requests and keeps the checksum', async (context) => {
  const image = zstdCompressSync(IMAGE);
  const ranges: (string | undefined)[] = [];
  const address = await serve(context, (request, response) => {
    ranges.push(request.headers.range);
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start > 0 ? 206 : 200, {
      ETag: '"one"',
      'Content-Length': image.length - start,
      ...(start > 0 ? { 'Content-Range': `bytes ${start}-${image.length - 1}/${image.length}` } : {}),
    });
    const part = image.subarray(start, Math.min(start + 2 * MEBIBYTE, image.length));
    if (start + part.length === image.length) response.end(part);
    else response.write(part, () => response.destroy());
  });
  const disk = dirtyDisk();
  const sha256 = createHash('sha256').update(image).digest('hex');
  assertOk(await run({ IMG_URL: `${address}/i.zst`, DEST_DISK: disk, IMG_CHECKSUM: `sha256:${sha256}` }));
  assert.ok(readFileSync(disk).subarray(0, IMAGE.length).equals(IMAGE));
  assert.ok(ranges.length >= 3);
  assert.equal(ranges[0], undefined);
  assert.match(ranges[1] ?? '', /^bytes=\d+-$/);
});

test('refuses to continue when the image changed between two parts', async (context) => {
  let requests = 0;
  const address = await serve(context, (_request, response) => {
    requests += 1;
    response.writeHead(200, { ETag: `"${requests}"`, 'Content-Length': IMAGE.length });
    response.write(IMAGE.subarray(0, MEBIBYTE), () => response.destroy());
  });
  const result = await run({ IMG_URL: `${address}/i`, DEST_DISK: dirtyDisk() });
  assert.match(errorOf(result), /the image changed on the server/);
});

test('skips what it has when the server does not support ranges but names the same image', async (context) => {
  let requests = 0;
  const address = await serve(context, (_request, response) => {
    requests += 1;
    response.writeHead(200, { ETag: '"same"', 'Content-Length': IMAGE.length });
    if (requests > 1) response.end(IMAGE);
    else response.write(IMAGE.subarray(0, MEBIBYTE), () => response.destroy());
  });
  const disk = dirtyDisk();
  assertOk(await run({ IMG_URL: `${address}/i`, DEST_DISK: disk }));
  assert.ok(readFileSync(disk).subarray(0, IMAGE.length).equals(IMAGE));
});

test('fails on a wrong checksum, a truncated image, a refusal and a missing disk', async (context) => {
  const truncated = zstdCompressSync(IMAGE).subarray(0, 3 * MEBIBYTE);
  const address = await serve(context, (request, response) => {
    if (request.url === '/gone') response.writeHead(404).end();
    else response.end(request.url === '/cut.zst' ? truncated : IMAGE);
  });
  const disk = dirtyDisk();
  const to = (path: string, more = {}) => run({ IMG_URL: `${address}${path}`, DEST_DISK: disk, ...more });
  const wrong = await to('/i', { IMG_CHECKSUM: `sha256:${'0'.repeat(64)}` });
  assert.match(errorOf(wrong), /SHA-256 is [0-9a-f]{64}, IMG_CHECKSUM says 0{64}/);
  assert.match(errorOf(await to('/cut.zst')), /not a whole zstd stream/);
  assert.match(errorOf(await to('/gone')), /answered 404/);
  const missing = await run({ IMG_URL: `${address}/i`, DEST_DISK: `${directory}/none` });
  assert.match(errorOf(missing), /none is not a block device; this machine has/);
});

test('names every wrong variable', async () => {
  const result = await run({ IMG_URL: 'ftp://x', COMPRESSED: 'maybe', RETRY_DURATION_MINUTES: '1h' });
  const error = errorOf(result);
  for (const name of [
    'IMG_URL=ftp://x',
    'DEST_DISK is missing',
    'COMPRESSED=maybe',
    'RETRY_DURATION_MINUTES=1h',
  ]) {
    assert.ok(error.includes(name), `${name} in ${error}`);
  }
});

test('stops at the timeout while the server is silent', async (context) => {
  const timeout = new AbortController();
  const address = await serve(context, (_request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('x', () => timeout.abort());
  });
  const result = await run({ IMG_URL: `${address}/i`, DEST_DISK: dirtyDisk() }, timeout.signal);
  assert.match(errorOf(result), /stopped at the timeout/);
});

test('reports bytes, total and rate', async (context) => {
  const address = await serve(context, (_request, response) => {
    response.writeHead(200, { 'Content-Length': IMAGE.length }).end(IMAGE);
  });
  const seen: Progress[] = [];
  assertOk(await run({ IMG_URL: `${address}/i`, DEST_DISK: dirtyDisk() }, undefined, seen));
  const last = seen.findLast((progress) => progress.doneBytes !== undefined);
  assert.equal(last?.totalBytes, IMAGE.length);
  assert.match(last?.message ?? '', /^[\d.]+ MiB of 15 MiB, .*\/s$/);
});

let disks = 0;

/** A file instead of a disk, larger than the image, full of old bytes. */
function dirtyDisk(): string {
  disks += 1;
  const path = join(directory, `disk-${disks}`);
  writeFileSync(path, Buffer.alloc(16 * MEBIBYTE, 0xaa));
  return path;
}

function run(
  environment: Record<string, string>,
  signal = new AbortController().signal,
  seen: Progress[] = [],
): Promise<ActionResult> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  return image2diskAction.run(
    { RETRY_ENABLED: 'true', ...environment },
    { log: quiet, clock: quickClock(), signal, command: [], progress: (progress) => seen.push(progress) },
  );
}

function assertOk(result: ActionResult): void {
  assert.ok(result.ok, result.ok ? '' : result.error);
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok);
  return result.error;
}
