import { overlayPatch } from '@tinkerbell/netboot';
import type { Files } from '@tinkerbell/platform-contract';
import type { IsoIndex } from './magic-index.ts';

/** An unpatched image in a file, which may still grow to its full size. */
export interface IsoImage {
  readonly directory: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** Changes whenever the bytes do. */
  readonly validator: string;
  readonly index: IsoIndex;
  /** The source's name in the timeline: a URL without its query, or a file. */
  readonly from: string;
}

export interface PatchedRange {
  /** Both inclusive. */
  readonly start: number;
  readonly end: number;
  /** Has the same length as the magic. */
  readonly patch: Uint8Array;
  /** Cancels the wait for bytes that have not arrived yet. */
  readonly signal: AbortSignal;
}

/** Returns a range of the patched image, one chunk at a time. Fails when the image cannot be read or its download breaks off. */
export async function* patchedChunks(
  files: Pick<Files, 'stream'>,
  { directory, fileName, index }: IsoImage,
  { start, end, patch, signal }: PatchedRange,
): AsyncGenerator<Uint8Array, void> {
  let at = start;
  while (at <= end) {
    const known = await index.settledBeyond(at, signal);
    const before = at;
    for await (const chunk of files.stream(directory, fileName, {
      start: at,
      end: Math.min(end, known - 1),
    })) {
      overlayPatch(chunk, at, { offsets: index.offsets, patch });
      at += chunk.length;
      yield chunk;
    }
    if (at === before) throw new Error(`${fileName} became shorter while it was being sent`);
  }
}
