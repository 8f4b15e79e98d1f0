import { areSameBytes, joinBytes, uint32Le } from '../bytes.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { encodeRmcp } from '../packet/rmcp.ts';
import { encodeExtendedPacket, payloadType, type SessionPacket } from '../packet/session-packet.ts';
import type { CipherSuite } from './cipher-suite.ts';
import type { SessionKeys } from './key-exchange.ts';
import { isSigned, signedDatagram } from './signed-packet.ts';
import { sequenceAfter, windowAfter, type SequenceRefusal, type SequenceWindow } from './sequence-window.ts';

/** One side of an established session. Each packet that is sent or accepted makes the next value. */
export type Session = EncryptedSession | SignedSession;

/** A session of IPMI 2.0. */
export interface EncryptedSession extends SessionNumbers {
  readonly version: '2.0';
  readonly suite: CipherSuite;
  readonly keys: SessionKeys;
}

/** A session of IPMI 1.5. It carries IPMI messages only. */
export interface SignedSession extends SessionNumbers {
  readonly version: '1.5';
  readonly password: Uint8Array;
}

interface SessionNumbers {
  readonly side: 'client' | 'bmc';
  /** The id in packets to this side. */
  readonly localId: number;
  /** The id in packets to the other side. */
  readonly remoteId: number;
  /** The number of the last packet that was sent. */
  readonly sent: number;
  readonly received: SequenceWindow;
}

export interface Payload {
  readonly type: number;
  readonly bytes: Uint8Array;
}

export type PacketRefusal =
  | SequenceRefusal
  | 'packet-of-another-session'
  | 'unprotected-packet'
  | 'wrong-packet-digest'
  | 'damaged-encryption';

export type OpenedPacket =
  | { readonly ok: true; readonly session: Session; readonly payload: Payload }
  | { readonly ok: false; readonly reason: PacketRefusal };

const BLOCK_BYTES = 16;
const NEXT_HEADER = 7;

/** Signs a payload, and encrypts it with IPMI 2.0. Returns the datagram. */
export function sealPayload(
  session: Session,
  payload: Payload,
  crypto: IpmiCrypto,
): { readonly session: Session; readonly datagram: Uint8Array } {
  const sequence = sequenceAfter(session.sent);
  if (session.version === '1.5') {
    const signed = { sessionId: session.remoteId, sequence, payload: payload.bytes };
    const datagram = signedDatagram(session.password, signed, crypto);
    return { session: { ...session, sent: sequence }, datagram };
  }
  const packet = encodeExtendedPacket({
    payloadType: payload.type,
    isEncrypted: true,
    isAuthenticated: true,
    sessionId: session.remoteId,
    sequence,
    payload: encrypted({ ...session, sent: sequence }, payload.bytes, crypto),
  });
  const signed = joinBytes(packet, integrityPad(packet.length));
  const code = digestOf(session, signed, crypto);
  const datagram = encodeRmcp({ messageClass: 'ipmi', body: joinBytes(signed, code) });
  return { session: { ...session, sent: sequence }, datagram };
}

/**
 * Checks and decrypts a packet: its session, its digest and then its sequence number (section 6.12.13), so that a forged packet does
 * not move the window. Packets without encryption or digest are refused, because the suites that are used have both.
 */
export function openPacket(session: Session, packet: SessionPacket, crypto: IpmiCrypto): OpenedPacket {
  if (packet.sessionId !== session.localId) return { ok: false, reason: 'packet-of-another-session' };
  if (session.version === '1.5') return openSigned(session, packet, crypto);
  if (packet.kind === 'plain') return { ok: false, reason: 'packet-of-another-session' };
  if (!packet.isAuthenticated || !packet.isEncrypted) return { ok: false, reason: 'unprotected-packet' };
  const signedBytes = packet.raw.length - session.suite.integrityBytes;
  const code = packet.raw.subarray(Math.max(0, signedBytes));
  const expected = digestOf(session, packet.raw.subarray(0, Math.max(0, signedBytes)), crypto);
  if (!areSameBytes(code, expected)) return { ok: false, reason: 'wrong-packet-digest' };
  const received = windowAfter(session.received, packet.sequence);
  if (typeof received === 'string') return { ok: false, reason: received };
  const bytes = decrypted(session, packet.payload, crypto);
  if (bytes === undefined) return { ok: false, reason: 'damaged-encryption' };
  return { ok: true, session: { ...session, received }, payload: { type: packet.payloadType, bytes } };
}

function openSigned(session: SignedSession, packet: SessionPacket, crypto: IpmiCrypto): OpenedPacket {
  if (packet.kind !== 'plain') return { ok: false, reason: 'packet-of-another-session' };
  if (!isSigned(session.password, packet, crypto)) return { ok: false, reason: 'wrong-packet-digest' };
  const received = windowAfter(session.received, packet.sequence);
  if (typeof received === 'string') return { ok: false, reason: received };
  const payload = { type: payloadType.ipmi, bytes: packet.payload };
  return { ok: true, session: { ...session, received }, payload };
}

function digestOf({ suite, keys }: EncryptedSession, bytes: Uint8Array, crypto: IpmiCrypto): Uint8Array {
  return crypto.hmac(suite.hash, keys.integrity, bytes).subarray(0, suite.integrityBytes);
}

/** The trailer up to the code: 0xff until the length is a multiple of four, the number of these, and 7 (table 13-8). */
function integrityPad(packetBytes: number): Uint8Array {
  const count = (4 - ((packetBytes + 2) % 4)) % 4;
  return Uint8Array.of(...new Uint8Array(count).fill(0xff), count, NEXT_HEADER);
}

/**
 * AES-CBC-128 (section 13.29): the initialization vector, and the encrypted bytes, padded with 1, 2, 3 and so on.
 *
 * The vector must be unpredictable. It is the HMAC of side and sequence number with K3, a key that nothing else uses, so that this
 * package needs no randomness (NIST SP 800-38A, appendix C, allows a nonce that goes through a keyed function).
 */
function encrypted(session: EncryptedSession, bytes: Uint8Array, crypto: IpmiCrypto): Uint8Array {
  const nonce = Uint8Array.of(session.side === 'client' ? 1 : 2, ...uint32Le(session.sent));
  const iv = crypto.hmac(session.suite.hash, session.keys.vectors, nonce).subarray(0, BLOCK_BYTES);
  const count = (BLOCK_BYTES - ((bytes.length + 1) % BLOCK_BYTES)) % BLOCK_BYTES;
  const pad = Uint8Array.from({ length: count + 1 }, (_, index) => (index === count ? count : index + 1));
  return joinBytes(iv, crypto.aesCbcEncrypt(session.keys.encryption, iv, joinBytes(bytes, pad)));
}

/** Returns undefined for a length or a pad that encryption does not make. */
function decrypted(
  session: EncryptedSession,
  payload: Uint8Array,
  crypto: IpmiCrypto,
): Uint8Array | undefined {
  const isWhole = payload.length >= 2 * BLOCK_BYTES && payload.length % BLOCK_BYTES === 0;
  if (!isWhole) return undefined;
  const iv = payload.subarray(0, BLOCK_BYTES);
  const bytes = crypto.aesCbcDecrypt(session.keys.encryption, iv, payload.subarray(BLOCK_BYTES));
  const count = bytes.at(-1) ?? 0;
  // Some BMCs pad a whole block more than needed, so the pad may have 16 bytes.
  return count > BLOCK_BYTES || count >= bytes.length ? undefined : bytes.slice(0, bytes.length - 1 - count);
}
