import { DIGITS } from './hex.ts';

declare const macBrand: unique symbol;

/** A 48-bit hardware address in canonical form: lower case, colons, such as `02:00:5e:10:00:01`. */
export type Mac = string & { readonly [macBrand]: true };

/** The format of a MAC in a path. The names are upstream's (`ipxe-binary-inject-mac-addr-format`). */
export type MacFormat = 'colon' | 'dash' | 'dot' | 'no-delimiter';

export const MAC_BYTES = 6;

const CANONICAL = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;

const SPELLINGS = [
  /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i,
  /^[0-9a-f]{2}(?:-[0-9a-f]{2}){5}$/i,
  /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/i,
  /^[0-9a-f]{12}$/i,
];

/** Parses `00:00:5e:00:53:01`, `00-00-5E-00-53-01`, `0000.5e00.5301` or `00005e005301`. Returns undefined for anything else. */
export function parseMac(text: string): Mac | undefined {
  // Nearly all MACs have this form, and one is parsed for each packet and request.
  if (isMac(text)) return text;
  if (!SPELLINGS.some((spelling) => spelling.test(text))) return undefined;
  return colonForm(text.replaceAll(/[^0-9a-f]/gi, '').toLowerCase());
}

/** For addresses written in the program: throws RangeError on anything `parseMac` refuses. */
export function mac(text: string): Mac {
  const address = parseMac(text);
  if (address === undefined) throw new RangeError(`not a MAC address: ${JSON.stringify(text)}`);
  return address;
}

/** Returns the address of the first six bytes, or undefined when there are fewer. */
export function macFromBytes(bytes: Uint8Array): Mac | undefined {
  if (bytes.length < MAC_BYTES) return undefined;
  let text = DIGITS[bytes[0] ?? 0] ?? '';
  for (let index = 1; index < MAC_BYTES; index++) text += `:${DIGITS[bytes[index] ?? 0] ?? ''}`;
  return text as Mac;
}

export function macToBytes(address: Mac): Uint8Array {
  return Uint8Array.from(address.split(':'), (octet) => Number.parseInt(octet, 16));
}

export function formatMac(address: Mac, format: MacFormat): string {
  if (format === 'colon') return address;
  if (format === 'dash') return address.replaceAll(':', '-');
  const digits = address.replaceAll(':', '');
  return format === 'dot' ? digits.replaceAll(/(.{4})(?!$)/g, '$1.') : digits;
}

/** Returns true for group addresses (multicast and broadcast), which no network interface uses as its source. */
export function isGroupMac(address: Mac): boolean {
  return (Number.parseInt(address.slice(0, 2), 16) & 1) === 1;
}

function isMac(text: string): text is Mac {
  return CANONICAL.test(text);
}

function colonForm(digits: string): Mac {
  return digits.replaceAll(/(..)(?!$)/g, '$1:') as Mac;
}
