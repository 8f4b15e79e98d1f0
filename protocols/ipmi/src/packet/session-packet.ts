import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes, readUint16Le, readUint32Le, uint16Le, uint32Le } from '../bytes.ts';

/** Payload types of RMCP+ (table 13-16). */
export const payloadType = {
  ipmi: 0,
  sol: 1,
  openSessionRequest: 0x10,
  openSessionResponse: 0x11,
  rakp1: 0x12,
  rakp2: 0x13,
  rakp3: 0x14,
  rakp4: 0x15,
} as const;

/** The format of IPMI 1.5 (table 13-8). Outside a session it carries the first messages of IPMI 2.0, too. */
export interface PlainPacket {
  readonly kind: 'plain';
  /** 0: none, 1: MD2, 2: MD5, 4: password (table 13-9). */
  readonly authenticationType: number;
  readonly sequence: number;
  readonly sessionId: number;
  /** Sixteen bytes, present unless the authentication type is 0. */
  readonly authenticationCode?: Uint8Array;
  readonly payload: Uint8Array;
}

/** The format of RMCP+ (table 13-8). */
export interface ExtendedPacket {
  readonly kind: 'extended';
  readonly payloadType: number;
  readonly isEncrypted: boolean;
  readonly isAuthenticated: boolean;
  readonly sessionId: number;
  readonly sequence: number;
  readonly payload: Uint8Array;
  /** All bytes from the authentication type to the end of the packet: what the integrity trailer protects, and the trailer. */
  readonly raw: Uint8Array;
}

export type SessionPacket = PlainPacket | ExtendedPacket;

const RMCP_PLUS = 6;
const AUTHENTICATION_CODE_BYTES = 16;
const ENCRYPTED = 0x80;
const AUTHENTICATED = 0x40;
const OEM_PAYLOAD = 2;

/** Reads the body of an RMCP packet of class `ipmi`. The payload and the trailer are still encrypted and unchecked. */
export function decodeSessionPacket(body: Uint8Array): Decoded<SessionPacket> {
  return decoded(() => {
    const reader = new ByteReader(body);
    const authenticationType = reader.uint8('authentication type');
    return authenticationType === RMCP_PLUS
      ? readExtended(reader, body)
      : readPlain(reader, authenticationType);
  });
}

function readPlain(reader: ByteReader, authenticationType: number): PlainPacket {
  const sequence = readUint32Le(reader, 'session sequence number');
  const sessionId = readUint32Le(reader, 'session id');
  const authenticationCode =
    authenticationType === 0
      ? undefined
      : reader.bytes(AUTHENTICATION_CODE_BYTES, 'message authentication code');
  // A legacy pad byte may follow the payload, because some network chips mishandle certain lengths (section 13.6).
  const payload = reader.bytes(reader.uint8('payload length'), 'payload');
  return {
    kind: 'plain',
    authenticationType,
    sequence,
    sessionId,
    ...(authenticationCode === undefined ? {} : { authenticationCode }),
    payload,
  };
}

function readExtended(reader: ByteReader, body: Uint8Array): ExtendedPacket {
  const type = reader.uint8('payload type');
  if ((type & 0x3f) === OEM_PAYLOAD) reader.skip(6, 'OEM payload');
  const sessionId = readUint32Le(reader, 'session id');
  const sequence = readUint32Le(reader, 'session sequence number');
  const payload = reader.bytes(readUint16Le(reader, 'payload length'), 'payload');
  return {
    kind: 'extended',
    payloadType: type & 0x3f,
    isEncrypted: (type & ENCRYPTED) !== 0,
    isAuthenticated: (type & AUTHENTICATED) !== 0,
    sessionId,
    sequence,
    payload,
    raw: body,
  };
}

/** Encodes a packet outside a session: without authentication, with zeros for session id and sequence number. */
export function encodePlainPacket(payload: Uint8Array): Uint8Array {
  if (payload.length > 0xff) throw new RangeError(`a payload of ${payload.length} bytes, at most 255`);
  return joinBytes(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, payload.length), payload);
}

/** Encodes a packet of a session of IPMI 1.5. */
export function encodeSignedPacket(packet: Required<Omit<PlainPacket, 'kind'>>): Uint8Array {
  const { authenticationType, sequence, sessionId, authenticationCode, payload } = packet;
  if (payload.length > 0xff) throw new RangeError(`a payload of ${payload.length} bytes, at most 255`);
  const head = Uint8Array.of(authenticationType, ...uint32Le(sequence), ...uint32Le(sessionId));
  return joinBytes(head, authenticationCode, Uint8Array.of(payload.length), payload);
}

/** Encodes a packet of RMCP+ without its trailer. Packets outside a session have none. */
export function encodeExtendedPacket(packet: Omit<ExtendedPacket, 'kind' | 'raw'>): Uint8Array {
  const flags = (packet.isEncrypted ? ENCRYPTED : 0) | (packet.isAuthenticated ? AUTHENTICATED : 0);
  const head = Uint8Array.of(
    RMCP_PLUS,
    flags | packet.payloadType,
    ...uint32Le(packet.sessionId),
    ...uint32Le(packet.sequence),
    ...uint16Le(packet.payload.length),
  );
  return joinBytes(head, packet.payload);
}
