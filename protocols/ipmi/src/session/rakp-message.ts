import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes, readUint32Le, uint32Le } from '../bytes.ts';

/** Section 13.20. */
export interface Rakp1 {
  readonly tag: number;
  readonly bmcId: number;
  readonly clientRandom: Uint8Array;
  /** Privilege level in bits 0 to 3. Bit 4 asks to search users by name only. */
  readonly role: number;
  readonly username: Uint8Array;
}

/** Section 13.21. */
export interface Rakp2 {
  readonly tag: number;
  readonly status: number;
  readonly clientId: number;
  /** Absent in a refusal. */
  readonly proof?: {
    readonly bmcRandom: Uint8Array;
    readonly bmcGuid: Uint8Array;
    readonly code: Uint8Array;
  };
}

/** Section 13.22 for message 3, and 13.23 for message 4: both have the same form. */
export interface RakpProof {
  readonly tag: number;
  readonly status: number;
  /** The session id of the receiver. */
  readonly receiverId: number;
  /** Empty in a refusal. */
  readonly code: Uint8Array;
}

/** Section 13.20: names have at most 16 bytes. */
export const USERNAME_BYTES_MAX = 16;
/** Section 22.30: IPMI 2.0 keeps passwords of up to 20 bytes. */
export const PASSWORD_BYTES_MAX = 20;
/** Searches users by name, whatever their privilege level is. */
export const NAME_ONLY_LOOKUP = 0x10;

const RANDOM_BYTES = 16;
const GUID_BYTES = 16;
/** A digest of SHA-256, the longest of the suites that are used. */
const CODE_BYTES_MAX = 32;

export function encodeRakp1({ tag, bmcId, clientRandom, role, username }: Rakp1): Uint8Array {
  return joinBytes(
    Uint8Array.of(tag, 0, 0, 0, ...uint32Le(bmcId)),
    clientRandom,
    Uint8Array.of(role, 0, 0, username.length),
    username,
  );
}

export function decodeRakp1(payload: Uint8Array): Decoded<Rakp1> {
  return decoded(() => {
    const reader = new ByteReader(payload);
    const tag = reader.uint8('message tag');
    reader.skip(3, 'reserved');
    const bmcId = readUint32Le(reader, 'BMC session id');
    const clientRandom = reader.bytes(RANDOM_BYTES, 'client random number');
    const role = reader.uint8('requested privilege level');
    reader.skip(2, 'reserved');
    const length = reader.uint8('username length');
    if (length > USERNAME_BYTES_MAX) reader.fail('too-long', 'username length', `${length}, at most 16`);
    return { tag, bmcId, clientRandom, role, username: reader.bytes(length, 'username') };
  });
}

export function encodeRakp2({ tag, status, clientId, proof }: Rakp2): Uint8Array {
  const head = Uint8Array.of(tag, status, 0, 0, ...uint32Le(clientId));
  return proof === undefined ? head : joinBytes(head, proof.bmcRandom, proof.bmcGuid, proof.code);
}

export function decodeRakp2(payload: Uint8Array): Decoded<Rakp2> {
  return decoded(() => {
    const reader = new ByteReader(payload);
    const tag = reader.uint8('message tag');
    const status = reader.uint8('status');
    reader.skip(2, 'reserved');
    const clientId = readUint32Le(reader, 'client session id');
    if (status !== 0) return { tag, status, clientId };
    const bmcRandom = reader.bytes(RANDOM_BYTES, 'BMC random number');
    const bmcGuid = reader.bytes(GUID_BYTES, 'BMC GUID');
    return { tag, status, clientId, proof: { bmcRandom, bmcGuid, code: readCode(reader) } };
  });
}

export function encodeRakpProof({ tag, status, receiverId, code }: RakpProof): Uint8Array {
  return joinBytes(Uint8Array.of(tag, status, 0, 0, ...uint32Le(receiverId)), code);
}

export function decodeRakpProof(payload: Uint8Array): Decoded<RakpProof> {
  return decoded(() => {
    const reader = new ByteReader(payload);
    const tag = reader.uint8('message tag');
    const status = reader.uint8('status');
    reader.skip(2, 'reserved');
    const receiverId = readUint32Le(reader, 'session id');
    return { tag, status, receiverId, code: readCode(reader) };
  });
}

function readCode(reader: ByteReader): Uint8Array {
  const length = reader.remaining;
  if (length > CODE_BYTES_MAX) reader.fail('too-long', 'key exchange code', `${length} bytes, at most 32`);
  return reader.bytes(length, 'key exchange code');
}
