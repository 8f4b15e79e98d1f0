/** What `tink image add` reads: raw and qcow2 by itself, compressed or not, from a file or an address; other formats with qemu-img. */
import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ActionError,
  decompress,
  detectCompression,
  downloadImage,
  nextData,
  peekStart,
  qcow2Decoders,
  runProgram,
} from '@tinkerbell/action-kit';
import type { Clock, Log } from '@tinkerbell/platform-contract';
import { isQcow2, openQcow2, Qcow2Error, type ImagePart } from '@tinkerbell/qcow2';
import { readingProblem } from '../../files/unreadable.ts';
import { TinkFailure } from '../../failure.ts';

export interface DiskSource {
  /** Undefined for a stream, whose size is known at its end. */
  readonly diskBytes: number | undefined;
  readonly parts: AsyncIterable<ImagePart>;
}

export interface SourceParts {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

const READ_BYTES = 4 * 1024 * 1024;
const STREAM_BYTES = 1024 * 1024;
const START_BYTES = 512;
/** A download without a byte of progress for this long fails. */
const RETRY_MS = 60_000;
const QEMU_FORMATS: readonly (readonly [start: string, format: string])[] = [
  ['KDMV', 'vmdk'],
  ['vhdxfile', 'vhdx'],
  ['conectix', 'vpc'],
];

/** `scope` closes what it opens. Throws a TinkFailure for what is not an image. */
export async function openDiskSource(
  text: string,
  parts: SourceParts,
  scope: AsyncDisposableStack,
): Promise<DiskSource> {
  const isUrl = /^https?:\/\//.test(text);
  if (!isUrl) {
    const start = await startOf(text);
    if (detectCompression(start) === 'none') return fileSource(text, { start, signal: parts.signal }, scope);
  }
  const compressed = isUrl ? downloaded(text, parts) : streamed(text);
  const { start, source } = await peekStart(compressed);
  const unpacked = await peekStart(decompress(source, detectCompression(start)));
  if (isQcow2(unpacked.start) || qemuFormatOf(unpacked.start) !== undefined) {
    const path = join(await folderIn(scope), 'image');
    await writeFile(path, unpacked.source);
    return fileSource(path, { start: unpacked.start, signal: parts.signal }, scope);
  }
  requireImage(unpacked.start, text);
  return { diskBytes: undefined, parts: dataParts(unpacked.source) };
}

interface OpenedFile {
  readonly start: Buffer;
  readonly signal: AbortSignal;
}

async function fileSource(
  path: string,
  { start, signal }: OpenedFile,
  scope: AsyncDisposableStack,
): Promise<DiskSource> {
  const format = qemuFormatOf(start);
  const raw = format === undefined ? path : await converted(path, { format, signal }, scope);
  const file = scope.use(await open(raw, 'r'));
  const { size } = await file.stat();
  requireImage(start, path);
  if (!isQcow2(start)) return { diskBytes: size, parts: fileParts(file, size) };
  const image = await openQcow2({
    sizeBytes: size,
    read: async (offset, length) =>
      await readFully(file, offset, Math.max(0, Math.min(length, size - offset))),
  });
  return { diskBytes: image.diskBytes, parts: image.parts(qcow2Decoders) };
}

/** Throws a TinkFailure in the words of what has failed, or the error itself, which is a bug. */
export function sourceFailure(thrown: unknown, text: string): unknown {
  const isKnown =
    thrown instanceof ActionError ||
    thrown instanceof Qcow2Error ||
    (thrown instanceof Error && 'code' in thrown);
  return isKnown ? new TinkFailure(`cannot read ${text}: ${readingProblem(thrown)}`) : thrown;
}

async function* fileParts(file: FileHandle, size: number): AsyncGenerator<ImagePart, void> {
  for (let at = 0; at < size;) {
    const data = Math.min(nextData(file.fd, at) ?? size, size);
    const start = Math.max(at, data - (data % READ_BYTES));
    const end = data === size ? size : start;
    if (end > at) yield { kind: 'zeros', length: end - at };
    at = end;
    if (at === size) return;
    const bytes = await readFully(file, at, Math.min(READ_BYTES - (at % READ_BYTES), size - at));
    if (bytes.length === 0)
      throw new ActionError(`it ended at byte ${at} of ${size}: does something write to it?`);
    yield { kind: 'data', bytes };
    at += bytes.length;
  }
}

async function* dataParts(source: AsyncIterable<Buffer>): AsyncGenerator<ImagePart, void> {
  for await (const bytes of source) yield { kind: 'data', bytes };
}

async function readFully(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

async function* streamed(path: string): AsyncGenerator<Buffer, void> {
  await using file = await open(path, 'r');
  for (let at = 0; ;) {
    const bytes = await readFully(file, at, STREAM_BYTES);
    if (bytes.length === 0) return;
    at += bytes.length;
    yield bytes;
  }
}

function downloaded(text: string, { signal, clock, log }: SourceParts): AsyncGenerator<Buffer, void> {
  const advice = 'Check the address and the network';
  return downloadImage({
    url: new URL(text),
    retryForMs: RETRY_MS,
    signal,
    clock,
    log,
    advice,
    onTotal() {},
  });
}

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  if (!(await file.stat()).isFile()) throw new TinkFailure(`${path} is not a file`);
  return await readFully(file, 0, START_BYTES);
}

function qemuFormatOf(start: Buffer): string | undefined {
  return QEMU_FORMATS.find(([begin]) => start.subarray(0, begin.length).toString('latin1') === begin)?.[1];
}

/** The format is explicit: qemu-img must not guess one that opens other files. */
async function converted(
  path: string,
  { format, signal }: { readonly format: string; readonly signal: AbortSignal },
  scope: AsyncDisposableStack,
): Promise<string> {
  const raw = join(await folderIn(scope), 'raw');
  const result = await runProgram('qemu-img', ['convert', '-f', format, '-O', 'raw', path, raw], {
    signal,
  }).catch(() => undefined);
  if (result === undefined)
    throw new TinkFailure(`${path} is a ${format} image, which needs qemu-img`, {
      advice: 'install the Debian package qemu-utils, or convert the image to qcow2 or raw',
    });
  if (result.code !== 0)
    throw new TinkFailure(`qemu-img cannot convert ${path}: ${result.output.trim().slice(-500)}`);
  return raw;
}

async function folderIn(scope: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tink-image-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function requireImage(start: Buffer, text: string): void {
  if (start.length === 0) throw new TinkFailure(`${text} is empty`);
  if (/^\s*<(!doctype html|html)[\s>]/i.test(start.subarray(0, 256).toString('latin1')))
    throw new TinkFailure(`${text} is a web page and not an image`, {
      advice: 'does the server ask for a login?',
    });
}
