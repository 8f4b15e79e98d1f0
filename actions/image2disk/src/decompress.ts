import { spawn } from 'node:child_process';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';

import { ActionError } from '@tinkerbell/action-kit';

import { release, releaseChunk } from './release-chunk.ts';
import type { Compression } from './settings.ts';

/** Large chunks: each costs one hop to a worker thread. Room for several: that thread unpacks while this one copies. */
const DECODER = { chunkSize: 1024 * 1024, readableHighWaterMark: 4 * 1024 * 1024 } as const;

const PROGRAMS = { xz: 'xz', bzip2: 'bzip2' } as const;

/**
 * The image's bytes as they belong on the disk. gzip and zstd are unpacked by Node on its worker threads, xz
 * and bzip2 by their programs.
 *
 * @throws ActionError when the stream is not what it should be, or ends too early.
 */
export async function* decompress(
  source: AsyncIterable<Buffer>,
  compression: Compression,
): AsyncGenerator<Buffer, void> {
  switch (compression) {
    case 'none':
      for await (const chunk of source) {
        yield chunk;
        releaseChunk(chunk);
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

async function* unpack(
  source: AsyncIterable<Buffer>,
  decoder: Transform,
  compression: Compression,
): AsyncGenerator<Buffer, void> {
  const fed = feed(source, decoder).catch((error: unknown) => {
    // The loop below then throws it.
    decoder.destroy(error instanceof Error ? error : new Error(String(error)));
    return error;
  });
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      yield chunk;
      // The decoder fills a buffer with chunk after chunk, and takes another one where a chunk reaches its end.
      if (chunk.byteOffset + chunk.byteLength === chunk.buffer.byteLength) release(chunk);
    }
  } catch (error) {
    const cause = (await fed) ?? error;
    if (cause instanceof ActionError) throw cause;
    throw new ActionError(`the image is not a whole ${compression} stream: ${messageOf(cause)}`, { cause });
  }
  const late = await fed;
  if (late instanceof Error) throw late;
}

async function feed(source: AsyncIterable<Buffer>, decoder: Transform): Promise<void> {
  for await (const chunk of source) {
    await new Promise<void>((resolve, reject) => {
      decoder.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    releaseChunk(chunk);
  }
  decoder.end();
}

async function* unpackByProgram(
  source: AsyncIterable<Buffer>,
  program: string,
): AsyncGenerator<Buffer, void> {
  const child = spawn(program, ['-dc'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-500);
  });
  const ended = new Promise<Error | number>((resolve) => {
    child.on('error', resolve);
    child.on('close', (code) => resolve(code ?? -1));
  });
  const fed = pipeline(Readable.from(source), child.stdin).catch((error: unknown) => error);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) yield chunk;
    const outcome = await ended;
    const cause = await fed;
    if (cause instanceof ActionError) throw cause;
    if (outcome instanceof Error) throw new ActionError(`cannot run ${program}: ${outcome.message}`);
    if (outcome !== 0)
      throw new ActionError(`the image is not a whole ${program} stream: ${complaint.trim()}`);
  } finally {
    child.kill('SIGKILL');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
