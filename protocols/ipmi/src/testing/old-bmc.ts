/** A BMC with IPMI 1.5 only, which can break the protocol. */
import { encodeUtf8 } from '@tinkerbell/wire';
import { MD5_AUTHENTICATION } from '../commands/challenge-commands.ts';
import { encodeCapabilities } from '../commands/channel-capabilities.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { decodeRequest, encodeResponse } from '../message/ipmi-message.ts';
import { decodeRmcp, encodeRmcp } from '../packet/rmcp.ts';
import { decodeSessionPacket, encodePlainPacket } from '../packet/session-packet.ts';
import { signedDatagram } from '../session/signed-packet.ts';

export const oldPassword = encodeUtf8('secret');
/** The number of the first packet of the BMC, and the id of its session. */
export const FIRST = 500;
export const SESSION = 7;
export const oldLogin = {
  username: 'admin',
  password: 'secret',
  version: '1.5',
  privilege: 4,
  clientId: FIRST,
  clientRandom: new Uint8Array(16),
  timeoutMs: 5000,
} as const;
const command = { capabilities: 0x38, challenge: 0x39, activate: 0x3a } as const;
/** The answer to a request of the session. */
export const ANSWER = Uint8Array.of(1, 0, 0);

export interface OldBmcFaults {
  readonly supportsMd5?: boolean;
  /** Of the packets of the session. */
  readonly authenticationType?: number;
  readonly key?: Uint8Array;
  readonly isUnsigned?: boolean;
  readonly challengeCode?: number;
  readonly activateCode?: number;
}

interface Answering {
  readonly crypto: IpmiCrypto;
  readonly faults?: OldBmcFaults;
  /** The number of a packet of the session. */
  readonly sequence?: number;
}

/** The answer of the BMC to a datagram. Throws for one that is not a request. */
export function answerOfOldBmc(datagram: Uint8Array, answering: Answering): Uint8Array {
  const { crypto, faults = {}, sequence = 0 } = answering;
  const rmcp = decodeRmcp(datagram);
  const packet = rmcp.ok ? decodeSessionPacket(rmcp.value.body) : rmcp;
  const request = packet.ok ? decodeRequest(packet.value.payload) : packet;
  if (!packet.ok || !request.ok) throw new Error('the client sent something else than a request');
  const respond = (completionCode: number, bytes: Uint8Array): Uint8Array =>
    encodeResponse(request.value, { completionCode, bytes });
  const { sessionId } = packet.value;
  const { key = oldPassword, challengeCode = 0 } = faults;
  switch (request.value.command) {
    case command.capabilities:
      return plain(respond(0, capabilities(faults)));
    case command.challenge:
      return plain(respond(challengeCode, Uint8Array.of(9, 0, 0, 0, ...new Uint8Array(16).fill(3))));
    case command.activate: {
      const { authenticationType = MD5_AUTHENTICATION, activateCode = 0 } = faults;
      const activated = Uint8Array.of(authenticationType, SESSION, 0, 0, 0, 1, 0, 0, 0, 4);
      const payload = respond(activateCode, activated);
      if (faults.isUnsigned === true) return plain(payload);
      return signedDatagram(key, { sessionId, sequence: 0, payload }, crypto);
    }
    default:
      return signedDatagram(key, { sessionId, sequence, payload: respond(0, ANSWER) }, crypto);
  }
}

function capabilities({ supportsMd5 = true }: OldBmcFaults): Uint8Array {
  return encodeCapabilities({
    channel: 1,
    supportsIpmi2: false,
    supportsIpmi15: true,
    supportsMd5,
    needsBmcKey: false,
  });
}

function plain(payload: Uint8Array): Uint8Array {
  return encodeRmcp({ messageClass: 'ipmi', body: encodePlainPacket(payload) });
}
