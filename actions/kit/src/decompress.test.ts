/** Streams that end, fail or continue at inconvenient times. The source determines what arrives when. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { decompress } from './decompress.ts';

/** A limit for what hangs, and no measure of anything. */
const HANGS = { timeout: 120_000 };
const IMAGE = randomBytes(300_000);
const RUBBISH = Buffer.from('rubbish');
const PIECE_BYTES = 64 * 1024;

const packed = { gzip: gzipSync(IMAGE), zstd: zstdCompressSync(IMAGE) } as const;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield Buffer.from(bytes.subarray(at, at + PIECE_BYTES));
}

for (const compression of ['gzip', 'zstd'] as const) {
  /** Returns the image's bytes. `afterwards` is what arrives once all of them have been read. */
  const unpacked = async (afterwards: readonly Buffer[]): Promise<Buffer> => {
    const read = Promise.withResolvers<void>();
    async function* source(): AsyncGenerator<Buffer> {
      yield* piecesOf(packed[compression]);
      await read.promise;
      for (const one of afterwards) {
        // The decoder has ended by then.
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield Buffer.from(one);
      }
    }
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of decompress(source(), compression)) {
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length === IMAGE.length) read.resolve();
    }
    return Buffer.concat(chunks);
  };

  test(`${compression}: what arrives after the end of the stream is noticed`, HANGS, async () => {
    await assert.rejects(unpacked([RUBBISH]), /continues after the end|incorrect header/);
    await assert.rejects(unpacked([RUBBISH, RUBBISH]), /continues after the end|incorrect header/);
  });

  test(`${compression}: one byte behind the stream is noticed`, HANGS, async () => {
    const all = Buffer.concat([packed[compression], Buffer.from([1])]);
    await assert.rejects(collected(decompress(sourceOf([all]), compression)), /continues after|not a whole/);
  });

  test(`${compression}: the failure of the source is the reason`, HANGS, async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield packed[compression].subarray(0, PIECE_BYTES);
      throw new Error('the cable was cut');
    }
    await assert.rejects(collected(decompress(failing(), compression)), /the cable was cut/);
  });

  test(`${compression}: nothing more is read of a stream that is damaged`, HANGS, async () => {
    const closed = Promise.withResolvers<void>();
    let pieces = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        yield Buffer.concat([packed[compression].subarray(0, 64), randomBytes(PIECE_BYTES)]);
        for (; pieces < 10_000; pieces += 1) {
          await new Promise((resolve) => setImmediate(resolve));
          // Zeros would be padding behind gzip. To zstd they are empty blocks.
          yield compression === 'gzip' ? Buffer.alloc(PIECE_BYTES) : randomBytes(PIECE_BYTES);
        }
      } finally {
        closed.resolve();
      }
    }
    await assert.rejects(collected(decompress(endless(), compression)), /not a whole/);
    await closed.promise;
    assert.ok(pieces < 10_000, 'it was read to its end');
  });
}

test('gzip: zeros are padding, also when they arrive late', HANGS, async () => {
  const source = sourceOf([packed.gzip, Buffer.alloc(512), Buffer.alloc(512)]);
  assert.ok((await collected(decompress(source, 'gzip'))).equals(IMAGE));
});

test('several members are one image, also when each arrives alone', HANGS, async () => {
  const halves = [IMAGE.subarray(0, 99_999), IMAGE.subarray(99_999)];
  for (const [compression, pack] of [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const source = sourceOf([...halves, Buffer.alloc(0)].map((half) => pack(half)));
    assert.ok((await collected(decompress(source, compression))).equals(IMAGE), compression);
  }
});

test('gzip: rubbish behind padding is noticed', HANGS, async () => {
  const source = sourceOf([packed.gzip, Buffer.alloc(512), RUBBISH]);
  await assert.rejects(collected(decompress(source, 'gzip')), /continues after the end/);
});

async function* sourceOf(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield Buffer.from(piece);
  }
}

async function collected(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
