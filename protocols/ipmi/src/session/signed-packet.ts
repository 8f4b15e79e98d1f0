/** Packets of IPMI 1.5 with a digest by MD5, and without encryption (sections 13.6 and 22.17.1). */
import { areSameBytes, joinBytes, uint32Le } from '../bytes.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { MD5_AUTHENTICATION } from '../commands/challenge-commands.ts';
import { encodeRmcp } from '../packet/rmcp.ts';
import { encodeSignedPacket, type PlainPacket } from '../packet/session-packet.ts';

/** IPMI 1.5 has no longer ones. */
export const SHORT_PASSWORD_BYTES_MAX = 16;

interface Signed {
  readonly sessionId: number;
  readonly sequence: number;
  readonly payload: Uint8Array;
}

/** Returns the datagram. `password` has at most `SHORT_PASSWORD_BYTES_MAX` bytes. */
export function signedDatagram(password: Uint8Array, signed: Signed, crypto: IpmiCrypto): Uint8Array {
  const authenticationCode = codeOf(password, signed, crypto);
  const body = encodeSignedPacket({ ...signed, authenticationType: MD5_AUTHENTICATION, authenticationCode });
  return encodeRmcp({ messageClass: 'ipmi', body });
}

export function isSigned(password: Uint8Array, packet: PlainPacket, crypto: IpmiCrypto): boolean {
  const { authenticationType, authenticationCode } = packet;
  if (authenticationType !== MD5_AUTHENTICATION || authenticationCode === undefined) return false;
  return areSameBytes(authenticationCode, codeOf(password, packet, crypto));
}

function codeOf(
  password: Uint8Array,
  { sessionId, sequence, payload }: Signed,
  crypto: IpmiCrypto,
): Uint8Array {
  const padded = new Uint8Array(SHORT_PASSWORD_BYTES_MAX);
  padded.set(password.subarray(0, SHORT_PASSWORD_BYTES_MAX));
  const id = Uint8Array.from(uint32Le(sessionId));
  const number = Uint8Array.from(uint32Le(sequence));
  return crypto.md5(joinBytes(padded, id, payload, number, padded));
}
