import type { OptionCodec } from './option-codec.ts';

/** One option inside an encapsulating one (43 vendor specific, 82 relay agent, 175 iPXE). */
export interface SubOption {
  readonly code: number;
  readonly bytes: Uint8Array;
}

/**
 * Encapsulated options, RFC 2132 section 8.4: code, length, value. PAD and END are recognised when reading. No END is written
 * (PXE ROMs and upstream do without). A sub-option that passes the end makes the whole value malformed.
 */
export const encapsulatedOption: OptionCodec<readonly SubOption[]> = {
  decode: (bytes) => readSubOptions(bytes, { hasPadAndEnd: true }),
  encode: writeSubOptions,
};

/** Returns undefined when a sub-option passes the end or when there are no sub-options. */
export function readSubOptions(
  bytes: Uint8Array,
  format: { readonly hasPadAndEnd: boolean },
): readonly SubOption[] | undefined {
  const subOptions: SubOption[] = [];
  let at = 0;
  while (at < bytes.length) {
    const code = bytes[at] ?? 0;
    if (format.hasPadAndEnd && code === 255) break;
    if (format.hasPadAndEnd && code === 0) {
      at += 1;
      continue;
    }
    const end = at + 2 + (bytes[at + 1] ?? Number.POSITIVE_INFINITY);
    if (end > bytes.length) return undefined;
    subOptions.push({ code, bytes: bytes.slice(at + 2, end) });
    at = end;
  }
  return subOptions.length === 0 ? undefined : subOptions;
}

/** Throws RangeError for a sub-option above 255 bytes. Only the program creates those, never the network. */
export function writeSubOptions(subOptions: readonly SubOption[]): Uint8Array {
  const bytes: number[] = [];
  for (const { code, bytes: value } of subOptions) {
    if (value.length > 255)
      throw new RangeError(`sub-option ${code} has ${value.length} bytes, at most 255 fit`);
    bytes.push(code, value.length, ...value);
  }
  return Uint8Array.from(bytes);
}
