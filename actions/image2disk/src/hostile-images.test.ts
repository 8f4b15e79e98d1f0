import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';

import { DiskWriter, type ActionResult } from '@tinkerbell/action-kit';
import { quickClock, serve } from '@tinkerbell/action-kit/testing';

import { image2diskAction } from './image2disk.ts';

/** A limit that only ends tests that hang. */
const HANGS = { timeout: 60_000 };
const KIBIBYTE = 1024;
const directory = mkdtempSync(join(tmpdir(), 'image2disk-hostile-'));
after(() => rmSync(directory, { recursive: true }));

/** It does not compress, so a flipped bit is somewhere in the middle of other data. */
const IMAGE = randomBytes(3000 * KIBIBYTE + 7);
const page = Buffer.from('<!DOCTYPE html>\n<html><body>Please log in</body></html>\n');

const packers: Readonly<Record<string, (image: Buffer) => Buffer>> = {
  gz: (image) => gzipSync(image),
  zst: (image) => zstdCompressSync(image, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
  xz: (image) => execFileSync('xz', ['-0c'], { input: image, maxBuffer: 64 * KIBIBYTE * KIBIBYTE }),
  bz2: (image) => execFileSync('bzip2', ['-1c'], { input: image, maxBuffer: 64 * KIBIBYTE * KIBIBYTE }),
};

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x10;
  return copy;
}

const damages: readonly (readonly [string, (packed: Buffer) => Buffer, RegExp])[] = [
  ['a flipped byte in its first header', (packed) => flipped(packed, 0), /not a whole/],
  ['a flipped byte in the middle', (packed) => flipped(packed, packed.length >> 1), /not a whole/],
  ['a flipped byte near its end', (packed) => flipped(packed, packed.length - 9), /not a whole/],
  ['its last byte missing', (packed) => packed.subarray(0, -1), /not a whole/],
  ['its second half missing', (packed) => packed.subarray(0, packed.length >> 1), /not a whole/],
  [
    'garbage after it',
    (packed) => Buffer.concat([packed, Buffer.from('rubbish '.repeat(99))]),
    /not a whole|continues after/,
  ],
  [
    'much garbage after it',
    (packed) => Buffer.concat([packed, randomBytes(900 * KIBIBYTE)]),
    /not a whole|continues after/,
  ],
  ['nothing in it', () => Buffer.alloc(0), /not a whole|is empty/],
  ['a web page instead of it', () => page, /is a web page and not an image/],
];

for (const [extension, pack] of Object.entries(packers)) {
  const packed = pack(IMAGE);
  for (const [what, damage, reason] of damages)
    test(`a ${extension} image with ${what} is a failure with a reason`, HANGS, async (context) => {
      const bytes = damage(packed);
      const address = await serve(context, (_request, response) => {
        // In pieces, as from a network, so that a decoder that has ended is written to again.
        for (let at = 0; at < bytes.length; at += 64 * KIBIBYTE)
          response.write(bytes.subarray(at, at + 64 * KIBIBYTE));
        response.end();
      });
      assert.match(errorOf(await run(`${address}/image.${extension}`)), reason);
    });

  test(`a ${extension} image without bytes is a failure`, HANGS, async (context) => {
    const address = await serve(context, (_request, response) => response.end(pack(Buffer.alloc(0))));
    assert.match(errorOf(await run(`${address}/image.${extension}`)), /is empty|not a whole/);
  });

  test(`a ${extension} image that is damaged at its start is not read to its end`, HANGS, async (context) => {
    // The server keeps the connection open and sends no more.
    const address = await serve(context, (_request, response) =>
      response.write(flipped(packed, 0).subarray(0, 256 * KIBIBYTE)),
    );
    assert.match(errorOf(await run(`${address}/image.${extension}`)), /not a whole/);
  });

  test(`a ${extension} image that stalls ends when it is stopped`, HANGS, async (context) => {
    const stop = new AbortController();
    const address = await serve(context, (_request, response) => {
      response.write(packed.subarray(0, packed.length >> 1), () => stop.abort());
    });
    assert.match(errorOf(await run(`${address}/image.${extension}`, stop.signal)), /stopped at the timeout/);
  });
}

test(
  'an image without bytes, and a web page, are failures also without compression',
  HANGS,
  async (context) => {
    const address = await serve(context, ({ url }, response) => response.end(url === '/empty' ? '' : page));
    assert.match(errorOf(await run(`${address}/empty`)), /is empty: there is nothing to write/);
    assert.match(errorOf(await run(`${address}/login`)), /is a web page and not an image/);
  },
);

test('zeros after gzip are padding, and several members are one image', HANGS, async (context) => {
  const members = [
    gzipSync(IMAGE.subarray(0, 99_999)),
    gzipSync(IMAGE.subarray(99_999)),
    Buffer.alloc(70_000),
  ];
  const address = await serve(context, (_request, response) => response.end(Buffer.concat(members)));
  const disk = join(directory, 'padded');
  writeFileSync(disk, '');
  const result = await run(`${address}/image.gz`, undefined, disk);
  assert.ok(result.ok, result.ok ? '' : result.error);
  assert.ok(readFileSync(disk).equals(IMAGE));
});

test('a redirect whose page has no end is followed nevertheless', HANGS, async (context) => {
  const address = await serve(context, ({ url }, response) => {
    if (url === '/image') return response.end(IMAGE);
    response.writeHead(302, { Location: '/image' });
    return response.write('moved');
  });
  const result = await run(`${address}/`);
  assert.ok(result.ok, result.ok ? '' : result.error);
});

/** A disk that accepts writes and never answers. */
function hangingDisk(signal: AbortSignal): DiskWriter {
  const never = (): Promise<never> => new Promise(() => undefined);
  const file = { fd: -1, write: never, sync: never, stat: never, close: never } as unknown as FileHandle;
  return new DiskWriter({ path: '/dev/hangs', sizeBytes: undefined, direct: file, buffered: file, signal });
}

test('a stopped action does not wait for a disk that does not answer', HANGS, async () => {
  const stop = new AbortController();
  const writer = hangingDisk(stop.signal);
  const writing = (async () => {
    for (;;) await writer.write(IMAGE);
  })();
  setImmediate(() => stop.abort());
  await assert.rejects(writing, /stopped at the timeout/);
  await assert.rejects(writer.finish(), /stopped at the timeout/);
  await writer.close();
});

let disks = 0;

function run(
  url: string,
  signal = new AbortController().signal,
  disk = join(directory, `disk-${(disks += 1)}`),
): Promise<ActionResult> {
  writeFileSync(disk, '');
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };
  const context = { log: quiet, clock: quickClock(), signal, command: [], progress() {} };
  return image2diskAction.run({ IMG_URL: url, DEST_DISK: disk }, context);
}

function errorOf(result: ActionResult): string {
  assert.ok(!result.ok, 'it was written');
  return result.error;
}
