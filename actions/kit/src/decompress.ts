import { spawn } from 'node:child_process';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';

import { ActionError } from './action-error.ts';
import { messageOf, releasePiece } from '@tinkerbell/platform-contract';

import type { Compression } from './compression.ts';

/**
 * Large chunks, because each costs one hop to a worker thread. There is room for several, so that thread
 * unpacks while this one copies.
 */
const DECODER = { chunkSize: 1024 * 1024, readableHighWaterMark: 4 * 1024 * 1024 } as const;

/** The last bytes of a program's error output. */
const COMPLAINT_CHARACTERS = 500;

const PROGRAMS = { xz: 'xz', bzip2: 'bzip2' } as const;

/**
 * Returns the image's bytes as they belong on the disk. Node unpacks gzip and zstd on its worker threads, and
 * programs unpack xz and bzip2. It ends when the source or the decoder does, whichever is first.
 *
 * @throws ActionError when the stream is invalid, ends too early, or continues after its end.
 */
export async function* decompress(
  source: AsyncIterable<Buffer>,
  compression: Compression,
): AsyncGenerator<Buffer, void> {
  switch (compression) {
    case 'none':
      for await (const chunk of source) {
        yield chunk;
        releasePiece(chunk);
      }
      return;
    case 'gzip':
      yield* unpack(source, createGunzip(DECODER), compression);
      return;
    case 'zstd':
      yield* unpack(source, createZstdDecompress(DECODER), compression);
      return;
    case 'xz':
    case 'bzip2':
      yield* unpackByProgram(source, PROGRAMS[compression]);
      return;
    default:
      compression satisfies never;
  }
}

/** Counts the compressed bytes that it has read. */
type Decoder = Transform & { readonly bytesWritten: number };

async function* unpack(
  source: AsyncIterable<Buffer>,
  decoder: Decoder,
  compression: Compression,
): AsyncGenerator<Buffer, void> {
  let failure: unknown;
  const fed = feed(source, decoder, compression).catch((error: unknown) => {
    // The loop below then throws it. It no longer waits for the source, which may be silent.
    failure = error;
    decoder.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      yield chunk;
      // The decoder fills a buffer with chunk after chunk, and takes another one where a chunk reaches its
      // end.
      if (chunk.byteOffset + chunk.byteLength === chunk.buffer.byteLength) release(chunk);
    }
    // True if more data follows the end of the stream.
    await fed;
  } catch (error) {
    failure ??= error;
  } finally {
    decoder.destroy();
  }
  if (failure === undefined) return;
  if (failure instanceof ActionError) throw failure;
  throw new ActionError(`the image is not a whole ${compression} stream: ${messageOf(failure)}`, {
    cause: failure,
  });
}

/**
 * Releases memory manually. With the garbage collector alone, the chunks of an image cause a hundred markings, which take a third of the
 * time to write it.
 */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Resolves when all of the source is unpacked, or the decoder has failed. */
async function feed(
  source: AsyncIterable<Buffer>,
  decoder: Decoder,
  compression: Compression,
): Promise<void> {
  // A decoder that has ended or failed does not call back its writer.
  const over = new Promise<void>((resolve) => {
    for (const event of ['end', 'error', 'close']) decoder.once(event, () => resolve());
  });
  let hasEnded = false;
  decoder.once('end', () => (hasEnded = true));
  for await (const chunk of source) {
    const before = decoder.bytesWritten;
    if (!hasEnded) await Promise.race([writeTo(decoder, chunk), over]);
    // Its reader closes it at the end, which is not a failure: what follows is still checked.
    if (!hasEnded && decoder.errored !== null) return;
    // The unread rest is after the end of the stream. The decoder may nevertheless report the write as done.
    const taken = decoder.bytesWritten - before;
    hasEnded ||= taken < chunk.length;
    if (hasEnded) assertPadding(chunk.subarray(taken), compression);
    else releasePiece(chunk);
  }
  decoder.end();
}

function writeTo(decoder: Decoder, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    decoder.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

/** Zeros may follow gzip, as in gzip(1), because tapes and disks are padded with them. */
function assertPadding(rest: Buffer, compression: Compression): void {
  if (compression === 'gzip' && rest.every((byte) => byte === 0)) return;
  throw new ActionError(
    `the image continues after the end of its ${compression} stream: is it damaged, or two files in one?`,
  );
}

async function* unpackByProgram(
  source: AsyncIterable<Buffer>,
  program: string,
): AsyncGenerator<Buffer, void> {
  const child = spawn(program, ['-dc'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-COMPLAINT_CHARACTERS);
  });
  const ended = new Promise<Error | number>((resolve) => {
    child.on('error', resolve);
    child.on('close', (code) => resolve(code ?? -1));
  });
  let failure: unknown;
  const fed = pipeline(Readable.from(source), child.stdin).catch((error: unknown) => {
    failure = error;
    // Without the rest of its input the program waits, and its output so far is useless.
    if (error instanceof ActionError) child.kill('SIGKILL');
  });
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) yield chunk;
    const outcome = await ended;
    if (failure instanceof ActionError) throw failure;
    if (outcome instanceof Error) throw new ActionError(`cannot run ${program}: ${outcome.message}`);
    // bzip2 ignores what follows, and reports it.
    if (outcome !== 0 || /trailing garbage/.test(complaint))
      throw new ActionError(`the image is not a whole ${program} stream: ${complaint.trim()}`);
    await fed;
  } finally {
    child.kill('SIGKILL');
  }
}
