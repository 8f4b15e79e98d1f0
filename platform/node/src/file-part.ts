import type { FileHandle } from 'node:fs/promises';
import type { StreamProgress } from '@tinkerbell/platform-contract';

/**
 * The part of a file that a stream of `nodeFiles` reads. A listener that gets such a stream as a body reads the file itself,
 * which is cheaper.
 */
export interface FilePart {
  /** The name used in errors. */
  readonly name: string;
  /** Rejects when the file is gone or was replaced. */
  readonly open: () => Promise<FileHandle>;
  /** First and last byte. */
  readonly range: { readonly start: number; readonly end: number };
  readonly progress: StreamProgress | undefined;
}

const parts = new WeakMap<ReadableStream, FilePart>();

export function rememberPart(stream: ReadableStream<Uint8Array>, part: FilePart): ReadableStream<Uint8Array> {
  parts.set(stream, part);
  return stream;
}

/** Returns undefined for other streams, and for streams that are already being read. */
export function filePartOf(stream: ReadableStream): FilePart | undefined {
  return stream.locked ? undefined : parts.get(stream);
}
