import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

/** The channel on which the request arrives. */
const THIS_CHANNEL = 0x0e;
const EXTENDED = 0x80;
const MD5 = 0x04;
const LIST_BY_SUITE = 0x80;
const IPMI_PAYLOAD = 0;

export const capabilitiesCommand = 0x38;
export const cipherSuitesCommand = 0x54;

/** Get Channel Authentication Capabilities (section 22.13). */
export interface ChannelCapabilities {
  readonly channel: number;
  readonly supportsIpmi2: boolean;
  readonly supportsIpmi15: boolean;
  /** A session of IPMI 1.5 can have a digest by MD5. */
  readonly supportsMd5: boolean;
  /** The BMC has a key K_g of its own, which a client must know to log in. */
  readonly needsBmcKey: boolean;
}

export function capabilitiesRequest(privilege: number): IpmiRequest {
  const bytes = Uint8Array.of(EXTENDED | THIS_CHANNEL, privilege);
  return { netFn: netFn.application, command: capabilitiesCommand, bytes };
}

export function decodeCapabilities(bytes: Uint8Array): Decoded<ChannelCapabilities> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const channel = reader.uint8('channel');
    const types = reader.uint8('authentication types');
    const isExtended = (types & EXTENDED) !== 0;
    const status = reader.uint8('authentication status');
    const extended = isExtended ? reader.uint8('extended capabilities') : 0;
    return {
      channel,
      supportsIpmi2: (extended & 2) !== 0,
      supportsIpmi15: !isExtended || (extended & 1) !== 0,
      supportsMd5: (types & MD5) !== 0,
      needsBmcKey: isExtended && (status & 0x20) !== 0,
    };
  });
}

/** The bytes of a BMC that has named users and no anonymous one. */
export function encodeCapabilities(capabilities: ChannelCapabilities): Uint8Array {
  const { channel, supportsIpmi2, supportsIpmi15, supportsMd5, needsBmcKey } = capabilities;
  const extended = (supportsIpmi2 ? 2 : 0) | (supportsIpmi15 ? 1 : 0);
  const status = 0x04 | (needsBmcKey ? 0x20 : 0);
  const types = (supportsIpmi2 ? EXTENDED : 0) | (supportsMd5 ? MD5 : 0);
  return Uint8Array.of(channel, types, status, extended, 0, 0, 0, 0);
}

/** The bytes of records in one answer. A shorter answer is the last one. */
export const CIPHER_RECORD_BYTES = 16;
/** The index has six bits. */
export const CIPHER_INDEX_MAX = 0x3f;

/** Get Channel Cipher Suites (section 22.15). Each index is 16 bytes further in the list of records. */
export function cipherSuitesRequest(index: number): IpmiRequest {
  const bytes = Uint8Array.of(THIS_CHANNEL, IPMI_PAYLOAD, LIST_BY_SUITE | (index & CIPHER_INDEX_MAX));
  return { netFn: netFn.application, command: cipherSuitesCommand, bytes };
}

/** Returns the records of one answer. */
export function decodeCipherRecords(bytes: Uint8Array): Decoded<Uint8Array> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    reader.skip(1, 'channel');
    return reader.bytes(Math.min(reader.remaining, CIPHER_RECORD_BYTES), 'cipher suite records');
  });
}
