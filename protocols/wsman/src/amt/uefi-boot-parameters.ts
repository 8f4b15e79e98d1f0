/**
 * What the firmware does after it has started from a URL (Intel AMT SDK, "One-Click Recovery"): a list of values, each with vendor,
 * type and length in little-endian order. AMT 15 and newer have it.
 */
import { decodeUtf8, encodeUtf8 } from '@tinkerbell/wire';

const INTEL = 0x8086;
const HEAD_BYTES = 8;
const type = { url: 1, trustsAuthoritiesOfAmt: 20 } as const;
/** The longest URL that the firmware takes, in bytes. */
export const HTTPS_BOOT_URL_BYTES_MAX = 300;

export interface UefiBootParameters {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** The parameters of a boot from the URL. The firmware verifies the server with the root certificates in AMT. */
export function httpsBootParameters(url: string): UefiBootParameters {
  const parameters = [parameter(type.url, encodeUtf8(url)), parameter(type.trustsAuthoritiesOfAmt, [1])];
  return { count: parameters.length, bytes: Uint8Array.from(parameters.flat()) };
}

function parameter(kind: number, value: Iterable<number>): readonly number[] {
  const bytes = [...value];
  const { length } = bytes;
  const size = [length & 0xff, (length >> 8) & 0xff, 0, 0];
  return [INTEL & 0xff, INTEL >> 8, kind, 0, ...size, ...bytes];
}

/** Returns the URL of the parameters. Undefined when they have none, or cannot be read. */
export function urlInParameters(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const [vendor, kind] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    const start = at + HEAD_BYTES;
    const end = start + view.getUint32(at + 4, true);
    if (end > bytes.length) return undefined;
    if (vendor === INTEL && kind === type.url) return decodeUtf8(bytes.subarray(start, end));
    at = end;
  }
  return undefined;
}
