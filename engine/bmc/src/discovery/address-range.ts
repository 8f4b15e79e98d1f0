/** The addresses that a search for BMCs asks. */
import {
  ipv4FromNumber,
  ipv4ToNumber,
  netmaskOf,
  parseIpv4,
  parseIpv4Network,
  type Ipv4,
} from '@tinkerbell/wire';

/** A /20. More would take minutes, and looks like an attack. */
const ADDRESSES_MAX = 4096;

export type AddressRange =
  | { readonly ok: true; readonly addresses: readonly Ipv4[] }
  | { readonly ok: false; readonly message: string };

/** Reads `192.0.2.0/24`, without its network and broadcast addresses, `192.0.2.10-192.0.2.90`, or one address. */
export function parseAddressRange(text: string): AddressRange {
  const bounds = networkBounds(text) ?? listedBounds(text);
  if (bounds === undefined) {
    const shown = JSON.stringify(text);
    return { ok: false, message: `${shown}: must be ADDRESS/PREFIX, FIRST-LAST or one IPv4 address` };
  }
  const [first, last] = bounds;
  const count = last - first + 1;
  if (count < 1) return { ok: false, message: `${text}: the last address is before the first` };
  if (count > ADDRESSES_MAX)
    return {
      ok: false,
      message: `${text}: has ${count} addresses, more than ${ADDRESSES_MAX}; use a smaller range`,
    };
  return { ok: true, addresses: Array.from({ length: count }, (_, index) => ipv4FromNumber(first + index)) };
}

type Bounds = readonly [first: number, last: number];

function networkBounds(text: string): Bounds | undefined {
  const network = parseIpv4Network(text);
  if (network === undefined) return undefined;
  const first = ipv4ToNumber(network.address);
  const last = (first | ~ipv4ToNumber(netmaskOf(network.prefixLength))) >>> 0;
  // A network of one or two addresses has no edges (RFC 3021).
  return last - first < 2 ? [first, last] : [first + 1, last - 1];
}

function listedBounds(text: string): Bounds | undefined {
  const [from = '', to = from, ...others] = text.split('-').map((part) => part.trim());
  const [first, last] = [parseIpv4(from), parseIpv4(to)];
  if (first === undefined || last === undefined || others.length > 0) return undefined;
  return [ipv4ToNumber(first), ipv4ToNumber(last)];
}
