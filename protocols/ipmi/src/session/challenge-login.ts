/** The part of the login that IPMI 1.5 has instead of Open Session and RAKP: Get Session Challenge and Activate Session. */
import {
  activateCommand,
  activateRequest,
  decodeActivated,
  decodeChallenge,
  MD5_AUTHENTICATION,
} from '../commands/challenge-commands.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { describeCompletion } from '../message/completion-code.ts';
import { decodeResponse, encodeRequest, type ResponseMessage } from '../message/ipmi-message.ts';
import type { SessionPacket } from '../packet/session-packet.ts';
import {
  endLogin,
  enterPhase,
  failLogin,
  ignoreDatagram,
  passwordBytes,
  type Login,
  type LoginStep,
} from './login.ts';
import { rakpStatus } from './rakp-status.ts';
import { isSigned, signedDatagram } from './signed-packet.ts';

/** Completion codes of Get Session Challenge (section 22.16): the name is unknown, or empty and disabled. */
const NAME_REFUSALS: readonly number[] = [0x81, 0x82];
/** Completion codes of Activate Session (section 22.17). */
const NO_SLOTS: readonly number[] = [0x81, 0x82, 0x83];
const PRIVILEGE_TOO_HIGH = 0x86;
const ACTIVATE_SEQUENCE = 2;

export function onChallenge(login: Login, response: ResponseMessage, crypto: IpmiCrypto): LoginStep {
  const { completionCode } = response;
  if (NAME_REFUSALS.includes(completionCode))
    return refuse(login, rakpStatus.unauthorizedName, 'unknown user name');
  if (completionCode !== 0) {
    const detail = describeCompletion(response, completionCode);
    return failLogin(login, { reason: 'no-ipmi-1.5', detail });
  }
  const read = decodeChallenge(response.bytes);
  if (!read.ok) return ignoreDatagram(login, read.error.message);
  const { temporaryId: sessionId, challenge } = read.value;
  const { privilege, clientId: outbound } = login.settings;
  const payload = encodeRequest(activateRequest({ privilege, challenge, outbound }), ACTIVATE_SEQUENCE);
  const password = passwordBytes(login.settings);
  const activation = signedDatagram(password, { sessionId, sequence: 0, payload }, crypto);
  return enterPhase(login, 'activate', { bmcId: sessionId, activation });
}

/** Only an answer with the right digest counts. A BMC gives none to a wrong password, as the specification demands. */
export function onActivated(login: Login, packet: SessionPacket, crypto: IpmiCrypto): LoginStep {
  const password = passwordBytes(login.settings);
  const isFromBmc = packet.kind === 'plain' && packet.sessionId === login.progress.bmcId;
  if (!isFromBmc) return ignoreDatagram(login, 'packet-of-another-session');
  const response = decodeResponse(packet.payload);
  if (!response.ok) return ignoreDatagram(login, response.error.message);
  const { command, sequence } = response.value;
  if (command !== activateCommand || sequence !== ACTIVATE_SEQUENCE)
    return ignoreDatagram(login, 'it answers another request');
  const { completionCode, bytes } = response.value;
  if (!isSigned(password, packet, crypto)) return ignoreDatagram(login, 'wrong-packet-digest');
  if (NO_SLOTS.includes(completionCode)) return refuse(login, rakpStatus.noResources, 'no free session');
  if (completionCode === PRIVILEGE_TOO_HIGH)
    return refuse(login, rakpStatus.unauthorizedRole, 'the privilege exceeds that of the account');
  if (completionCode !== 0)
    return failLogin(login, {
      reason: 'no-ipmi-1.5',
      detail: describeCompletion(response.value, completionCode),
    });
  const read = decodeActivated(bytes);
  if (!read.ok) return ignoreDatagram(login, read.error.message);
  const { authenticationType, sessionId, inbound } = read.value;
  if (authenticationType !== MD5_AUTHENTICATION) {
    const detail = 'the BMC does not authenticate packets; enable per-message authentication';
    return failLogin(login, { reason: 'no-ipmi-1.5', detail });
  }
  const ids = { localId: sessionId, remoteId: sessionId };
  // Packets below the first number may be of an earlier session, whose digests have the same password.
  const received = { highest: login.settings.clientId - 1, below: 0xffff };
  const sent = Math.max(0, inbound - 1);
  return endLogin(login, {
    kind: 'established',
    session: { version: '1.5', side: 'client', password, ...ids, sent, received },
  });
}

function refuse(login: Login, status: number, detail: string): LoginStep {
  return failLogin(login, { reason: 'refused', status, detail });
}
