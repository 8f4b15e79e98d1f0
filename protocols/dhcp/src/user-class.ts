import { encodeUtf8, decodeUtf8 } from '@tinkerbell/wire';
import type { OptionCodec } from './option-codec.ts';

/** Option 77. `lengthPrefixed` records which of the two encodings was used, so that it round trips. */
export interface UserClass {
  readonly classes: readonly string[];
  readonly lengthPrefixed: boolean;
}

/**
 * RFC 3004 defines a list of length-prefixed classes. iPXE, and every server older than the RFC, sends the bare text `iPXE`. A
 * value whose length bytes add up exactly follows the RFC. Anything else is one bare class.
 */
export const userClassOption: OptionCodec<UserClass> = {
  decode: (bytes) => {
    const prefixed = lengthPrefixedClasses(bytes);
    if (prefixed !== undefined) return { classes: prefixed, lengthPrefixed: true };
    const text = decodeUtf8(bytes);
    return text === undefined || text === '' ? undefined : { classes: [text], lengthPrefixed: false };
  },
  encode: ({ classes, lengthPrefixed }) => {
    if (!lengthPrefixed) return encodeUtf8(classes.join(''));
    return Uint8Array.from(
      classes.flatMap((text) => {
        const bytes = encodeUtf8(text);
        if (bytes.length > 255) throw new RangeError(`user class of ${bytes.length} bytes, at most 255 fit`);
        return [bytes.length, ...bytes];
      }),
    );
  },
};

function lengthPrefixedClasses(bytes: Uint8Array): readonly string[] | undefined {
  const classes: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = bytes[at] ?? 0;
    const end = at + 1 + length;
    // RFC 3004 section 4: a class has at least one byte.
    if (length === 0 || end > bytes.length) return undefined;
    const text = decodeUtf8(bytes.subarray(at + 1, end));
    if (text === undefined) return undefined;
    classes.push(text);
    at = end;
  }
  return classes.length === 0 ? undefined : classes;
}
