import type { FileHandle } from 'node:fs/promises';
import type { StreamProgress } from '@tinkerbell/platform-contract';

/** What a stream of `nodeFiles` reads. The listener that gets such a stream as a body reads the file itself, which is cheaper. */
export interface FilePart {
  /** As errors name it. */
  readonly name: string;
  /** Rejects when the file is gone, or another has taken its place. */
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

/** Undefined for streams of others, and for those somebody reads already. */
export function filePartOf(stream: ReadableStream): FilePart | undefined {
  return stream.locked ? undefined : parts.get(stream);
}
