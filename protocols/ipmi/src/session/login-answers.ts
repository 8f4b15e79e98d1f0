/** What a login does with each datagram. `login.ts` has its phases and its timer. */
import type { Decoded } from '@tinkerbell/wire';
import { areSameBytes, joinBytes } from '../bytes.ts';
import {
  CIPHER_INDEX_MAX,
  CIPHER_RECORD_BYTES,
  decodeCapabilities,
  decodeCipherRecords,
} from '../commands/channel-capabilities.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { describeCompletion } from '../message/completion-code.ts';
import { decodeResponse, type ResponseMessage } from '../message/ipmi-message.ts';
import { decodeRmcp } from '../packet/rmcp.ts';
import { decodeSessionPacket, payloadType, type SessionPacket } from '../packet/session-packet.ts';
import { cipherSuiteIdsIn, cipherSuites, cipherSuiteWith } from './cipher-suite.ts';
import { onActivated, onChallenge } from './challenge-login.ts';
import { keyCodesOf } from './key-exchange.ts';
import {
  endLogin,
  enterPhase,
  failLogin,
  ignoreDatagram,
  loginTags,
  onLoginTimeout,
  passwordBytes,
  plainRequestOf,
  roleOf,
  suiteOf,
  usernameBytes,
  type Login,
  type LoginStep,
} from './login.ts';
import { decodeOpenSessionResponse, type OpenSessionResponse } from './open-session.ts';
import { decodeRakp2, decodeRakpProof } from './rakp-message.ts';
import { describeRakpStatus, isSuiteRefusal } from './rakp-status.ts';
import { emptyWindow } from './sequence-window.ts';

export type LoginEvent =
  | { readonly kind: 'datagram'; readonly bytes: Uint8Array }
  | { readonly kind: 'timeout' };

/** Returns the step that follows an event. After the login has ended, there is none. */
export function stepLogin(login: Login, event: LoginEvent, crypto: IpmiCrypto): LoginStep {
  if (login.phase === 'over') return { login, sends: [] };
  if (event.kind === 'timeout') return onLoginTimeout(login);
  const rmcp = decodeRmcp(event.bytes);
  if (!rmcp.ok) return ignoreDatagram(login, rmcp.error.message);
  if (rmcp.value.messageClass !== 'ipmi') return ignoreDatagram(login, 'the packet is not IPMI');
  const packet = decodeSessionPacket(rmcp.value.body);
  if (!packet.ok) return ignoreDatagram(login, packet.error.message);
  return onPacket(login, packet.value, crypto);
}

function onPacket(login: Login, packet: SessionPacket, crypto: IpmiCrypto): LoginStep {
  switch (login.phase) {
    case 'over':
      return { login, sends: [] };
    case 'capabilities':
      return withResponse(login, packet, onCapabilities);
    case 'cipher-suites':
      return withResponse(login, packet, onCipherSuites);
    case 'challenge':
      return withResponse(login, packet, (before, response) => onChallenge(before, response, crypto));
    case 'activate':
      return onActivated(login, packet, crypto);
    case 'open-session':
      return onOpenSession(login, packet);
    case 'rakp-2':
      return onRakp2(login, packet, crypto);
    case 'rakp-4':
      return onRakp4(login, packet);
  }
}

type OnResponse = (login: Login, response: ResponseMessage) => LoginStep;

/** Passes the answer to the request of this phase on. Other answers are ignored. */
function withResponse(login: Login, packet: SessionPacket, onResponse: OnResponse): LoginStep {
  const request = plainRequestOf(login);
  const isOutside =
    packet.sessionId === 0 && (packet.kind === 'plain' || packet.payloadType === payloadType.ipmi);
  if (!isOutside || request === undefined) return ignoreDatagram(login, 'the packet belongs to a session');
  const response = decodeResponse(packet.payload);
  if (!response.ok) return ignoreDatagram(login, response.error.message);
  const { command, sequence, netFn } = response.value;
  const isTheAnswer = netFn === request.netFn && command === request.command && sequence === request.sequence;
  return isTheAnswer
    ? onResponse(login, response.value)
    : ignoreDatagram(login, 'it answers another request');
}

function onCapabilities(login: Login, response: ResponseMessage): LoginStep {
  if (login.settings.version === '1.5') return onOldCapabilities(login, response);
  if (response.completionCode !== 0) {
    const detail = describeCompletion(response, response.completionCode);
    return failLogin(login, { reason: 'ipmi-1.5-only', detail });
  }
  const capabilities = decodeCapabilities(response.bytes);
  if (!capabilities.ok) return ignoreDatagram(login, capabilities.error.message);
  const { supportsIpmi2, needsBmcKey } = capabilities.value;
  if (!supportsIpmi2) {
    return failLogin(login, {
      reason: 'ipmi-1.5-only',
      detail:
        'the BMC does not support IPMI 2.0 sessions; to use IPMI 1.5, set providerOptions.ipmitool.version to "1.5"',
    });
  }
  const isSuiteGiven = suiteOf(login) !== undefined;
  return enterPhase(login, isSuiteGiven ? 'open-session' : 'cipher-suites', { needsBmcKey });
}

function onOldCapabilities(login: Login, { completionCode, bytes }: ResponseMessage): LoginStep {
  const capabilities = completionCode === 0 ? decodeCapabilities(bytes) : undefined;
  if (capabilities?.ok === false) return ignoreDatagram(login, capabilities.error.message);
  // Without the digest, the password or anybody's packets would be accepted.
  if (capabilities?.value.supportsMd5 === true) return enterPhase(login, 'challenge', {});
  const detail = 'the BMC does not offer IPMI 1.5 with MD5; enable it for the channel';
  return failLogin(login, { reason: 'no-ipmi-1.5', detail });
}

function onCipherSuites(login: Login, response: ResponseMessage): LoginStep {
  // The BMC does not know the command, or the index is beyond its list.
  const records = response.completionCode === 0 ? decodeCipherRecords(response.bytes) : undefined;
  if (records !== undefined && !records.ok) return ignoreDatagram(login, records.error.message);
  const more = records?.value ?? new Uint8Array();
  const cipherRecords = joinBytes(login.progress.cipherRecords, more);
  const cipherIndex = login.progress.cipherIndex + 1;
  if (more.length === CIPHER_RECORD_BYTES && cipherIndex <= CIPHER_INDEX_MAX) {
    return enterPhase(login, 'cipher-suites', { cipherRecords, cipherIndex });
  }
  if (cipherRecords.length === 0) return enterPhase(login, 'open-session', { suites: cipherSuites });
  const ids = cipherSuiteIdsIn(cipherRecords);
  const suites = cipherSuites.filter((suite) => ids.includes(suite.id));
  if (suites.length > 0) return enterPhase(login, 'open-session', { suites });
  const detail = `the BMC offers cipher suites ${ids.join(', ')}; enable 17 or 3`;
  return failLogin(login, { reason: 'no-common-cipher-suite', detail });
}

function onOpenSession(login: Login, packet: SessionPacket): LoginStep {
  const read = answerOf(packet, payloadType.openSessionResponse, decodeOpenSessionResponse);
  if (!read.ok) return ignoreDatagram(login, read.error.message);
  const { tag, status, accepted } = read.value;
  const isForThisLogin = tag === loginTags['open-session'] && isForClient(login, read.value);
  if (!isForThisLogin) return ignoreDatagram(login, 'it answers another request');
  const suite = suiteOf(login);
  const suites = login.progress.suites.slice(1);
  if (isSuiteRefusal(status) && suites.length > 0) return enterPhase(login, 'open-session', { suites });
  if (status !== 0 || accepted === undefined || suite === undefined) return refuse(login, status);
  const { algorithms, bmcId } = accepted;
  // Anything else is weaker than what was proposed.
  if (cipherSuiteWith(algorithms) !== suite) {
    const detail = `the BMC accepted other algorithms than those of cipher suite ${suite.id}`;
    return failLogin(login, { reason: 'no-common-cipher-suite', detail });
  }
  if (bmcId === 0) return ignoreDatagram(login, 'BMC session id is 0');
  return enterPhase(login, 'rakp-2', { bmcId });
}

/** A refusal may lack the id of the client. */
function isForClient({ settings }: Login, { status, clientId }: OpenSessionResponse): boolean {
  return clientId === settings.clientId || (status !== 0 && clientId === 0);
}

function onRakp2(login: Login, packet: SessionPacket, crypto: IpmiCrypto): LoginStep {
  const read = answerOf(packet, payloadType.rakp2, decodeRakp2);
  if (!read.ok) return ignoreDatagram(login, read.error.message);
  const { tag, status, clientId, proof } = read.value;
  const { settings, progress } = login;
  const suite = suiteOf(login);
  if (tag !== loginTags['rakp-2'] || clientId !== settings.clientId) {
    return ignoreDatagram(login, 'it answers another request');
  }
  if (status !== 0 || proof === undefined || suite === undefined) return refuse(login, status);
  const { bmcRandom, bmcGuid, code } = proof;
  const { clientRandom } = settings;
  const codes = keyCodesOf(
    {
      clientId,
      bmcId: progress.bmcId,
      clientRandom,
      bmcRandom,
      bmcGuid,
      role: roleOf(settings),
      username: usernameBytes(settings),
    },
    { suite, password: passwordBytes(settings) },
    crypto,
  );
  if (!areSameBytes(code, codes.rakp2)) {
    const detail = 'the digest of RAKP message 2 does not match the password';
    return failLogin(login, { reason: 'wrong-password', detail });
  }
  return enterPhase(login, 'rakp-4', { codes });
}

function onRakp4(login: Login, packet: SessionPacket): LoginStep {
  const read = answerOf(packet, payloadType.rakp4, decodeRakpProof);
  if (!read.ok) return ignoreDatagram(login, read.error.message);
  const { tag, status, receiverId, code } = read.value;
  const { settings, progress } = login;
  const suite = suiteOf(login);
  if (tag !== loginTags['rakp-4'] || receiverId !== settings.clientId) {
    return ignoreDatagram(login, 'it answers another request');
  }
  if (status !== 0 || suite === undefined || progress.codes === undefined) return refuse(login, status);
  const { rakp4, keys } = progress.codes;
  if (!areSameBytes(code, rakp4)) {
    const detail = progress.needsBmcKey
      ? 'the BMC has a key (K_g) of its own; remove it'
      : 'the digest of RAKP message 4 is wrong';
    return failLogin(login, { reason: 'wrong-final-digest', detail });
  }
  const ids = { localId: settings.clientId, remoteId: progress.bmcId };
  const session = {
    version: '2.0',
    side: 'client',
    suite,
    keys,
    ...ids,
    sent: 0,
    received: emptyWindow,
  } as const;
  return endLogin(login, { kind: 'established', session });
}

function refuse(login: Login, status: number): LoginStep {
  return failLogin(login, { reason: 'refused', status, detail: describeRakpStatus(status) });
}

function answerOf<Answer>(
  packet: SessionPacket,
  type: number,
  decode: (payload: Uint8Array) => Decoded<Answer>,
): Decoded<Answer> {
  if (packet.kind === 'extended' && packet.sessionId === 0 && packet.payloadType === type) {
    return decode(packet.payload);
  }
  const message = 'it answers another request';
  return { ok: false, error: { code: 'other-answer', offset: 0, field: 'payload type', message } };
}
