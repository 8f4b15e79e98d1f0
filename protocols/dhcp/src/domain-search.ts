import { decodeUtf8, encodeUtf8 } from '@tinkerbell/wire';
import type { OptionCodec } from './option-codec.ts';

/** RFC 1035 section 2.3.4. */
const LABEL_BYTES_MAX = 63;
const NAME_BYTES_MAX = 255;
/** Compression lets a short option repeat a long name. This limits the size to which 4 KiB of pointers can expand. */
const NAMES_MAX = 64;

/**
 * Option 119, RFC 3397: DNS names with RFC 1035 compression. Encoding does not compress, as in upstream: compression saves few
 * bytes and old resolvers misread it. A pointer that goes forward or loops makes the value malformed.
 */
export const domainSearchOption: OptionCodec<readonly string[]> = {
  decode: (bytes) => {
    const names: string[] = [];
    let at = 0;
    while (at < bytes.length) {
      const read = readName(bytes, at);
      if (read === undefined || names.length === NAMES_MAX) return undefined;
      names.push(read.name);
      at = read.next;
    }
    return names.length === 0 ? undefined : names;
  },
  encode: (names) => names.flatMap(writeName),
};

/** Returns true when `encode` can write the name: labels of 1 to 63 bytes, at most 255 in all. */
export function isDomainName(name: string): boolean {
  const labels = labelsOf(name).map((label) => encodeUtf8(label).length);
  const total = labels.reduce((sum, length) => sum + length + 1, 1);
  return (
    labels.length > 0 &&
    labels.every((length) => length >= 1 && length <= LABEL_BYTES_MAX) &&
    total <= NAME_BYTES_MAX
  );
}

/** Terminates on hostile input: a pointer goes backwards only, so a loop must pass a label, and the sum of labels is limited. */
function readName(bytes: Uint8Array, start: number): { name: string; next: number } | undefined {
  const labels: string[] = [];
  let at = start;
  let next: number | undefined;
  let nameBytes = 1;
  for (let length = bytes[at]; length !== 0; length = bytes[at]) {
    if (length === undefined) return undefined;
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (bytes[at + 1] ?? 0xffff);
      if (target >= at) return undefined;
      next ??= at + 2;
      at = target;
      continue;
    }
    const label = labelAt(bytes, at + 1, length);
    nameBytes += length + 1;
    if (label === undefined || nameBytes > NAME_BYTES_MAX) return undefined;
    labels.push(label);
    at += 1 + length;
  }
  return labels.length === 0 ? undefined : { name: labels.join('.'), next: next ?? at + 1 };
}

function labelAt(bytes: Uint8Array, at: number, length: number): string | undefined {
  if (length > LABEL_BYTES_MAX || at + length > bytes.length) return undefined;
  const label = decodeUtf8(bytes.subarray(at, at + length));
  // A dot inside a label cannot be represented as text here.
  return label === undefined || label.includes('.') ? undefined : label;
}

function writeName(name: string): readonly number[] {
  if (!isDomainName(name)) throw new RangeError(`not a domain name: ${JSON.stringify(name)}`);
  return [...labelsOf(name).flatMap((label) => [encodeUtf8(label).length, ...encodeUtf8(label)]), 0];
}

function labelsOf(name: string): readonly string[] {
  return name.replace(/\.$/, '').split('.');
}
