/** The login of IPMI 1.5: a challenge, and its activation with a digest of the password (sections 22.16 and 22.17). */
import { ByteReader, decoded, type Decoded } from '@tinkerbell/wire';
import { joinBytes, readUint32Le, uint32Le } from '../bytes.ts';
import { netFn, type IpmiRequest } from '../message/ipmi-message.ts';

const challengeCommand = 0x39;
export const activateCommand = 0x3a;

const NAME_BYTES = 16;
const CHALLENGE_BYTES = 16;
/** Table 13-9. */
export const MD5_AUTHENTICATION = 2;

export function challengeRequest(username: Uint8Array): IpmiRequest {
  const name = new Uint8Array(NAME_BYTES);
  name.set(username.subarray(0, NAME_BYTES));
  return {
    netFn: netFn.application,
    command: challengeCommand,
    bytes: joinBytes(Uint8Array.of(MD5_AUTHENTICATION), name),
  };
}

export interface Challenge {
  /** The id until the session is active. */
  readonly temporaryId: number;
  readonly challenge: Uint8Array;
}

export function decodeChallenge(bytes: Uint8Array): Decoded<Challenge> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    const temporaryId = readUint32Le(reader, 'temporary session id');
    return { temporaryId, challenge: reader.bytes(CHALLENGE_BYTES, 'challenge') };
  });
}

export interface Activation {
  readonly privilege: number;
  readonly challenge: Uint8Array;
  /** The number of the first packet of the BMC, from 1 to 2^32 - 1. */
  readonly outbound: number;
}

export function activateRequest({ privilege, challenge, outbound }: Activation): IpmiRequest {
  const head = Uint8Array.of(MD5_AUTHENTICATION, privilege);
  const bytes = joinBytes(head, challenge, Uint8Array.from(uint32Le(outbound)));
  return { netFn: netFn.application, command: activateCommand, bytes };
}

export interface Activated {
  /** The type of all later packets. 0: the BMC has authentication of packets switched off. */
  readonly authenticationType: number;
  readonly sessionId: number;
  /** The number of the first packet of the client. */
  readonly inbound: number;
}

export function decodeActivated(bytes: Uint8Array): Decoded<Activated> {
  return decoded(() => {
    const reader = new ByteReader(bytes);
    return {
      authenticationType: reader.uint8('authentication type') & 0x0f,
      sessionId: readUint32Le(reader, 'session id'),
      inbound: readUint32Le(reader, 'first sequence number'),
    };
  });
}
