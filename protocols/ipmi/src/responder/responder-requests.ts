import { ByteReader, bytesToHex } from '@tinkerbell/wire';
import { readUint32Le } from '../bytes.ts';
import {
  capabilitiesCommand,
  CIPHER_INDEX_MAX,
  CIPHER_RECORD_BYTES,
  cipherSuitesCommand,
  encodeCapabilities,
} from '../commands/channel-capabilities.ts';
import { chassisControlCommand } from '../commands/chassis.ts';
import { setBootOptionsCommand } from '../commands/boot-options.ts';
import { closeSessionCommand, privilegeCommand, privilegeLevel } from '../commands/session-commands.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { completion } from '../message/completion-code.ts';
import {
  decodeRequest,
  encodeResponse,
  netFn,
  type IpmiResponse,
  type RequestMessage,
} from '../message/ipmi-message.ts';
import { decodeAsf, encodeAsf } from '../packet/asf.ts';
import { decodeRmcp, encodeRmcp } from '../packet/rmcp.ts';
import {
  decodeSessionPacket,
  encodeExtendedPacket,
  encodePlainPacket,
  payloadType,
  type ExtendedPacket,
  type SessionPacket,
} from '../packet/session-packet.ts';
import { encodeCipherSuiteRecords } from '../session/cipher-suite.ts';
import { openPacket, sealPayload, type Payload } from '../session/protection.ts';
import { onLoginPayload } from './responder-login.ts';
import {
  ignoreRequest,
  SESSION_TIMEOUT_MS,
  sessionWithId,
  withoutSession,
  withSession,
  type ReceivedRequest,
  type Responder,
  type ResponderDatagram,
  type ResponderSession,
  type ResponderStep,
} from './responder.ts';

/** Returns what a BMC does with a datagram. Sessions without a packet for a minute end first. */
export function stepResponder(
  before: Responder,
  datagram: ResponderDatagram,
  crypto: IpmiCrypto,
): ResponderStep {
  const isAlive = (one: ResponderSession): boolean => datagram.nowMs - one.activeAtMs < SESSION_TIMEOUT_MS;
  const ended = before.sessions.filter((one) => !isAlive(one)).map(({ id }) => id);
  const responder = ended.length === 0 ? before : { ...before, sessions: before.sessions.filter(isAlive) };
  const step = receive(responder, datagram, crypto);
  return ended.length === 0 ? step : { ...step, ended: [...ended, ...(step.ended ?? [])] };
}

/** Sends the answer to a request that a step named. A session that has ended since gets none. */
export function answerRequest(
  responder: Responder,
  { request, response }: { readonly request: ReceivedRequest; readonly response: IpmiResponse },
  crypto: IpmiCrypto,
): ResponderStep {
  const found = sessionWithId(responder, request.sessionId);
  if (found?.session === undefined) return ignoreRequest(responder, 'the session has ended');
  const bytes = encodeResponse(request.message, response);
  const noted = withSession(responder, { ...found, answered: { request: request.message, response } });
  return sendToClient(noted, { sessionId: found.id, payload: { type: payloadType.ipmi, bytes } }, crypto);
}

/** Sends a payload within a session. */
export function sendToClient(
  responder: Responder,
  { sessionId, payload }: { readonly sessionId: number; readonly payload: Payload },
  crypto: IpmiCrypto,
): ResponderStep {
  const found = sessionWithId(responder, sessionId);
  if (found?.session === undefined) return ignoreRequest(responder, 'the session has ended');
  const { session, datagram } = sealPayload(found.session, payload, crypto);
  return { responder: withSession(responder, { ...found, session }), sends: [datagram] };
}

function receive(responder: Responder, datagram: ResponderDatagram, crypto: IpmiCrypto): ResponderStep {
  const rmcp = decodeRmcp(datagram.bytes);
  if (!rmcp.ok) return ignoreRequest(responder, rmcp.error.message);
  const { messageClass, body } = rmcp.value;
  if (messageClass === 'asf') return onPresence(responder, body);
  const packet = decodeSessionPacket(body);
  if (!packet.ok) return ignoreRequest(responder, packet.error.message);
  if (packet.value.sessionId === 0) return onOutside(responder, { packet: packet.value, datagram }, crypto);
  if (packet.value.kind === 'plain') return ignoreRequest(responder, 'sessions of IPMI 1.5 are refused');
  return onInside(responder, { packet: packet.value, datagram }, crypto);
}

function onPresence(responder: Responder, body: Uint8Array): ResponderStep {
  const message = decodeAsf(body);
  if (!message.ok) return ignoreRequest(responder, message.error.message);
  if (message.value.kind !== 'ping') return ignoreRequest(responder, 'a pong');
  const pong = encodeAsf({ kind: 'pong', tag: message.value.tag, supportsIpmi: true });
  return { responder, sends: [encodeRmcp({ messageClass: 'asf', body: pong })] };
}

interface Received<Packet> {
  readonly packet: Packet;
  readonly datagram: ResponderDatagram;
}

function onOutside(
  responder: Responder,
  { packet, datagram }: Received<SessionPacket>,
  crypto: IpmiCrypto,
): ResponderStep {
  if (packet.kind === 'extended' && packet.payloadType !== payloadType.ipmi) {
    return onLoginPayload(responder, { type: packet.payloadType, bytes: packet.payload, datagram }, crypto);
  }
  const request = decodeRequest(packet.payload);
  if (!request.ok) return ignoreRequest(responder, request.error.message);
  const response = encodeResponse(request.value, answerOutside(responder, request.value));
  // The answer has the format of the request.
  const body =
    packet.kind === 'plain'
      ? encodePlainPacket(response)
      : encodeExtendedPacket({ ...packet, isEncrypted: false, isAuthenticated: false, payload: response });
  return { responder, sends: [encodeRmcp({ messageClass: 'ipmi', body })] };
}

const NOTHING = new Uint8Array();
const failure = (completionCode: number): IpmiResponse => ({ completionCode, bytes: NOTHING });
const success = (bytes: Uint8Array): IpmiResponse => ({ completionCode: completion.ok, bytes });
const CHANNEL = 1;

/** Table G-1 names the few commands that need no session. */
function answerOutside(
  { settings }: Responder,
  { netFn: group, command, bytes }: RequestMessage,
): IpmiResponse {
  if (group === netFn.application && command === capabilitiesCommand) {
    const supported = { supportsIpmi2: true, supportsIpmi15: false, supportsMd5: false, needsBmcKey: false };
    return success(encodeCapabilities({ channel: CHANNEL, ...supported }));
  }
  if (group === netFn.application && command === cipherSuitesCommand) {
    const from = ((bytes[2] ?? 0) & CIPHER_INDEX_MAX) * CIPHER_RECORD_BYTES;
    const records = encodeCipherSuiteRecords(settings.suites).subarray(from, from + CIPHER_RECORD_BYTES);
    return success(Uint8Array.of(CHANNEL, ...records));
  }
  return failure(completion.insufficientPrivilege);
}

function onInside(
  before: Responder,
  { packet, datagram }: Received<ExtendedPacket>,
  crypto: IpmiCrypto,
): ResponderStep {
  const found = sessionWithId(before, packet.sessionId);
  if (found?.session === undefined) return ignoreRequest(before, 'no such session');
  const opened = openPacket(found.session, packet, crypto);
  if (!opened.ok) return ignoreRequest(before, opened.reason);
  const entry = { ...found, session: opened.session, peer: datagram.peer, activeAtMs: datagram.nowMs };
  const responder = withSession(before, entry);
  const { payload } = opened;
  if (payload.type !== payloadType.ipmi) {
    return { responder, sends: [], payload: { sessionId: entry.id, payload } };
  }
  const request = decodeRequest(payload.bytes);
  if (!request.ok) return ignoreRequest(responder, request.error.message);
  return onRequest(responder, { entry, message: request.value }, crypto);
}

interface SessionRequest {
  readonly entry: ResponderSession;
  readonly message: RequestMessage;
}

function onRequest(
  responder: Responder,
  { entry, message }: SessionRequest,
  crypto: IpmiCrypto,
): ResponderStep {
  const request = { sessionId: entry.id, message };
  const answered = entry.answered;
  if (answered !== undefined && isSameRequest(answered.request, message)) {
    // A repeated request is not performed twice. Its answer may still be on its way.
    const { response } = answered;
    return response === undefined
      ? ignoreRequest(responder, 'a repeated request')
      : answerRequest(responder, { request, response }, crypto);
  }
  const { netFn: group, command } = message;
  const answer = (next: Responder, response: IpmiResponse): ResponderStep =>
    answerRequest(next, { request, response }, crypto);
  if (group === netFn.application && command === privilegeCommand) {
    const changed = privilegeAfter(entry, message);
    return answer(withSession(responder, { ...entry, level: changed.level }), changed.response);
  }
  if (group === netFn.application && command === closeSessionCommand)
    return onClose(responder, request, answer);
  if (entry.level < levelFor(message)) return answer(responder, failure(completion.insufficientPrivilege));
  const noted = withSession(responder, { ...entry, answered: { request: message, response: undefined } });
  return { responder: noted, sends: [], request };
}

function isSameRequest(one: RequestMessage, other: RequestMessage): boolean {
  return (
    one.sequence === other.sequence &&
    one.netFn === other.netFn &&
    one.command === other.command &&
    bytesToHex(one.bytes) === bytesToHex(other.bytes)
  );
}

const EXCEEDS_THE_LIMIT = 0x81;

/** Section 22.18. Level 0 reads the present level. */
function privilegeAfter(
  entry: ResponderSession,
  { bytes }: RequestMessage,
): { readonly level: number; readonly response: IpmiResponse } {
  const wanted = (bytes[0] ?? 0) & 0x0f;
  if (wanted > entry.levelMax) return { level: entry.level, response: failure(EXCEEDS_THE_LIMIT) };
  const level = wanted === 0 ? entry.level : wanted;
  return { level, response: success(Uint8Array.of(level)) };
}

const INVALID_SESSION = 0x87;

function onClose(
  responder: Responder,
  { sessionId, message }: ReceivedRequest,
  answer: (next: Responder, response: IpmiResponse) => ResponderStep,
): ResponderStep {
  const isOwn =
    message.bytes.length >= 4 && readUint32Le(new ByteReader(message.bytes), 'session id') === sessionId;
  if (!isOwn) return answer(responder, failure(INVALID_SESSION));
  const step = answer(responder, success(NOTHING));
  return { ...step, responder: withoutSession(step.responder, sessionId), ended: [sessionId] };
}

/** Commands that change the machine need an operator (table G-1). */
function levelFor({ netFn: group, command }: RequestMessage): number {
  const isWrite =
    group === netFn.chassis && (command === chassisControlCommand || command === setBootOptionsCommand);
  return isWrite ? privilegeLevel.operator : privilegeLevel.user;
}
