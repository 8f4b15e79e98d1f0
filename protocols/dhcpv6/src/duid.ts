import { ipv6ToBytes, macFromBytes, macToBytes, type Ipv6, type Mac } from '@tinkerbell/wire';

const LINK_LAYER_AND_TIME = 1;
const LINK_LAYER = 3;
const ETHERNET = 1;
const MAC_BYTES = 6;
/** The start of a DUID with a link-layer address: type, hardware type, and with a time its 32 bits. */
const HEADER_BYTES = { [LINK_LAYER_AND_TIME]: 8, [LINK_LAYER]: 4 } as const;

/**
 * Returns the MAC of a DUID-LLT or DUID-LL of Ethernet (RFC 8415 section 11). Returns undefined for other DUIDs: edk2 firmware
 * and iPXE send a DUID-UUID. On a machine with several network interfaces it may be the MAC of another one.
 */
export function macOfDuid(duid: Uint8Array): Mac | undefined {
  const type = ((duid[0] ?? 0) << 8) | (duid[1] ?? 0);
  const hardwareType = ((duid[2] ?? 0) << 8) | (duid[3] ?? 0);
  if ((type !== LINK_LAYER_AND_TIME && type !== LINK_LAYER) || hardwareType !== ETHERNET) return undefined;
  const headerBytes = HEADER_BYTES[type];
  return duid.length === headerBytes + MAC_BYTES ? macFromBytes(duid.subarray(headerBytes)) : undefined;
}

/** Returns a DUID-LL, which is the same after every start and needs no storage. */
export function duidOfMac(mac: Mac): Uint8Array {
  return Uint8Array.of(0, LINK_LAYER, 0, ETHERNET, ...macToBytes(mac));
}

/**
 * Returns the MAC in a link-local address derived from it (RFC 4291 appendix A). Returns undefined for addresses derived
 * otherwise (RFC 7217, 8981).
 */
export function macOfLinkLocal(address: Ipv6): Mac | undefined {
  const bytes = ipv6ToBytes(address);
  const isLinkLocal = bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
  if (!isLinkLocal || bytes[11] !== 0xff || bytes[12] !== 0xfe) return undefined;
  const octets = Uint8Array.of(...bytes.subarray(8, 11), ...bytes.subarray(13, 16));
  octets[0] = (octets[0] ?? 0) ^ 2;
  return macFromBytes(octets);
}
