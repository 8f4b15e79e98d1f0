declare const ipv4Brand: unique symbol;

/** An IPv4 address in canonical dotted decimal, such as `192.0.2.7`. */
export type Ipv4 = string & { readonly [ipv4Brand]: true };

/** Strict dotted decimal: four numbers of 0 to 255 without leading zeros (which some readers take as octal). */
const DOTTED =
  /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/** Returns the address, or undefined when the text is not strict dotted decimal. */
export function parseIpv4(text: string): Ipv4 | undefined {
  return isIpv4(text) ? text : undefined;
}

/** Returns true for strict dotted decimal. */
export function isIpv4(text: string): text is Ipv4 {
  return DOTTED.test(text);
}

/** For addresses written in the program: throws RangeError on anything `parseIpv4` refuses. */
export function ipv4(text: string): Ipv4 {
  const address = parseIpv4(text);
  if (address === undefined) throw new RangeError(`not an IPv4 address: ${JSON.stringify(text)}`);
  return address;
}

/** Returns the address of an unsigned 32-bit number, first octet highest. */
export function ipv4FromNumber(value: number): Ipv4 {
  if (value === 0) return IPV4_ANY;
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}` as Ipv4;
}

/** Returns the address as an unsigned 32-bit number. */
export function ipv4ToNumber(address: Ipv4): number {
  let value = 0;
  let octet = 0;
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index);
    if (code === 0x2e) {
      value = (value << 8) | octet;
      octet = 0;
    } else {
      octet = octet * 10 + code - 0x30;
    }
  }
  return ((value << 8) | octet) >>> 0;
}

/** Returns its four octets. */
export function ipv4ToBytes(address: Ipv4): Uint8Array {
  const value = ipv4ToNumber(address);
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

export const IPV4_ANY = ipv4('0.0.0.0');
export const IPV4_BROADCAST = ipv4('255.255.255.255');

/**
 * Returns true for addresses that one host can have: not this-network (0/8), loopback (127/8), multicast and reserved (224/3).
 */
export function isHostAddress(address: Ipv4): boolean {
  const first = ipv4ToNumber(address) >>> 24;
  return first !== 0 && first !== 127 && first < 224;
}
