import { encodeUtf8 } from '@tinkerbell/wire';

/** Returns the patch as bytes of the magic's length, padded with spaces. @throws RangeError when it is longer. */
export function paddedPatch(text: string, lengthBytes: number): Uint8Array {
  const bytes = encodeUtf8(text);
  if (bytes.length > lengthBytes)
    throw new RangeError(`a patch of ${bytes.length} bytes does not fit into ${lengthBytes}`);
  const padded = new Uint8Array(lengthBytes).fill(0x20);
  padded.set(bytes);
  return padded;
}

/**
 * Writes the patch over the magic in a piece of an image, in place. `chunk` begins at byte `at` of the file, occurrences begin at
 * `offsets`. If an occurrence begins before the piece or ends after it, only its part in the piece is written.
 */
export function overlayPatch(
  chunk: Uint8Array,
  at: number,
  { offsets, patch }: { readonly offsets: readonly number[]; readonly patch: Uint8Array },
): void {
  const end = at + chunk.length;
  for (const offset of offsets) {
    if (offset >= end) return;
    const first = Math.max(offset, at);
    const part = patch.subarray(first - offset, Math.max(first, end) - offset);
    if (part.length > 0) chunk.set(part, first - at);
  }
}
