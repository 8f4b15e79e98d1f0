/** The login as the BMC sees it (section 13.15). */
import { encodeUtf8 } from '@tinkerbell/wire';
import { areSameBytes } from '../bytes.ts';
import { privilegeLevel } from '../commands/session-commands.ts';
import type { IpmiCrypto } from '../crypto.ts';
import { encodeRmcp } from '../packet/rmcp.ts';
import { encodeExtendedPacket, payloadType } from '../packet/session-packet.ts';
import { cipherSuiteWith } from '../session/cipher-suite.ts';
import { keyCodesOf } from '../session/key-exchange.ts';
import { decodeOpenSessionRequest, encodeOpenSessionResponse } from '../session/open-session.ts';
import type { Session } from '../session/protection.ts';
import {
  decodeRakp1,
  decodeRakpProof,
  encodeRakp2,
  encodeRakpProof,
  type Rakp1,
} from '../session/rakp-message.ts';
import { rakpStatus } from '../session/rakp-status.ts';
import { emptyWindow } from '../session/sequence-window.ts';
import {
  ignoreRequest,
  RESPONDER_SESSIONS_MAX,
  sessionWithId,
  withoutSession,
  withSession,
  type BmcAccount,
  type Responder,
  type ResponderDatagram,
  type ResponderSession,
  type ResponderStep,
} from './responder.ts';

const ID_BYTES = 4;
const LEVEL_MASK = 0x0f;
const NO_CODE = new Uint8Array();

/** A payload of the login, and the datagram that carried it. */
export interface LoginPayload {
  readonly type: number;
  readonly bytes: Uint8Array;
  readonly datagram: ResponderDatagram;
}

export function onLoginPayload(
  responder: Responder,
  payload: LoginPayload,
  crypto: IpmiCrypto,
): ResponderStep {
  switch (payload.type) {
    case payloadType.openSessionRequest:
      return onOpenSession(responder, payload);
    case payloadType.rakp1:
      return onRakp1(responder, payload, crypto);
    case payloadType.rakp3:
      return onRakp3(responder, payload);
    default:
      return ignoreRequest(responder, `payload type ${payload.type} outside a session`);
  }
}

function onOpenSession(responder: Responder, { bytes, datagram }: LoginPayload): ResponderStep {
  const read = decodeOpenSessionRequest(bytes);
  if (!read.ok) return ignoreRequest(responder, read.error.message);
  const { tag, privilege, clientId, algorithms } = read.value;
  const respond = (next: Responder, payload: Uint8Array): ResponderStep =>
    send(next, payloadType.openSessionResponse, payload);
  const refuse = (status: number): ResponderStep =>
    respond(responder, encodeOpenSessionResponse({ tag, status, clientId }));
  const suite = cipherSuiteWith(algorithms);
  if (suite === undefined || !responder.settings.suites.includes(suite)) {
    return refuse(rakpStatus.noMatchingSuite);
  }
  const roomy = withRoom(responder);
  if (roomy === undefined) return refuse(rakpStatus.noResources);
  const id = freshId(responder, datagram.entropy);
  const { peer, nowMs } = datagram;
  const levelMax = privilege === 0 ? privilegeLevel.administrator : privilege;
  const session: ResponderSession = {
    id,
    clientId,
    peer,
    suite,
    activeAtMs: nowMs,
    levelMax,
    level: privilegeLevel.user,
  };
  const accepted = { privilege: levelMax, bmcId: id, algorithms: suite };
  const answer = encodeOpenSessionResponse({ tag, status: rakpStatus.ok, clientId, accepted });
  return respond(withSession(roomy, session), answer);
}

/** The oldest login in progress makes room, so that a flood of logins does not lock clients out for long. */
function withRoom(responder: Responder): Responder | undefined {
  if (responder.sessions.length < RESPONDER_SESSIONS_MAX) return responder;
  const oldest = responder.sessions.find(({ session }) => session === undefined);
  return oldest === undefined ? undefined : withoutSession(responder, oldest.id);
}

function freshId(responder: Responder, entropy: Uint8Array): number {
  let id = entropy.subarray(0, ID_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
  while (id === 0 || sessionWithId(responder, id) !== undefined) id = (id + 1) % 0x1_0000_0000;
  return id;
}

function onRakp1(responder: Responder, { bytes, datagram }: LoginPayload, crypto: IpmiCrypto): ResponderStep {
  const read = decodeRakp1(bytes);
  if (!read.ok) return ignoreRequest(responder, read.error.message);
  const found = sessionWithId(responder, read.value.bmcId);
  if (found === undefined || found.session !== undefined) return ignoreRequest(responder, 'no such login');
  if (found.challenge !== undefined) {
    return areSameBytes(found.challenge.request, bytes)
      ? send(responder, payloadType.rakp2, found.challenge.answer)
      : ignoreRequest(responder, 'another RAKP message 1 for the same login');
  }
  const { tag, clientRandom, role, username } = read.value;
  const { clientId, suite } = found;
  const account = responder.settings.accounts.find((one) => areSameBytes(encodeUtf8(one.username), username));
  const status = statusFor(read.value, account);
  if (status !== rakpStatus.ok || account === undefined) {
    const refusal = encodeRakp2({ tag, status, clientId });
    return send(withoutSession(responder, found.id), payloadType.rakp2, refusal);
  }
  const bmcRandom = datagram.entropy.slice(ID_BYTES, ID_BYTES + 16);
  const bmcGuid = responder.settings.guid;
  const exchange = { clientId, bmcId: found.id, clientRandom, bmcRandom, bmcGuid, role, username };
  const codes = keyCodesOf(exchange, { suite, password: encodeUtf8(account.password) }, crypto);
  const proof = { bmcRandom, bmcGuid, code: codes.rakp2 };
  const answer = encodeRakp2({ tag, status: rakpStatus.ok, clientId, proof });
  const levelMax = Math.min(role & LEVEL_MASK, account.privilege);
  const challenge = { request: bytes, answer };
  return send(
    withSession(responder, { ...found, account, codes, challenge, levelMax }),
    payloadType.rakp2,
    answer,
  );
}

function statusFor({ role }: Rakp1, account: BmcAccount | undefined): number {
  if (account === undefined) return rakpStatus.unauthorizedName;
  return (role & LEVEL_MASK) > account.privilege ? rakpStatus.unauthorizedRole : rakpStatus.ok;
}

function onRakp3(responder: Responder, { bytes, datagram }: LoginPayload): ResponderStep {
  const read = decodeRakpProof(bytes);
  if (!read.ok) return ignoreRequest(responder, read.error.message);
  const { tag, status, receiverId, code } = read.value;
  const found = sessionWithId(responder, receiverId);
  if (found?.codes === undefined) return ignoreRequest(responder, 'no such login');
  const { clientId, suite, codes, id } = found;
  // The client gives up, for example because the digest of RAKP message 2 is wrong for it.
  if (status !== rakpStatus.ok) return { responder: withoutSession(responder, id), sends: [] };
  if (!areSameBytes(code, codes.rakp3)) {
    const refusal = { tag, status: rakpStatus.invalidDigest, receiverId: clientId, code: NO_CODE };
    return send(withoutSession(responder, id), payloadType.rakp4, encodeRakpProof(refusal));
  }
  const answer = encodeRakpProof({ tag, status: rakpStatus.ok, receiverId: clientId, code: codes.rakp4 });
  // A repeated message must not reset the sequence numbers of a session in use.
  const session: Session = found.session ?? {
    version: '2.0',
    side: 'bmc',
    suite,
    keys: codes.keys,
    localId: id,
    remoteId: clientId,
    sent: 0,
    received: emptyWindow,
  };
  const next = withSession(responder, { ...found, session, activeAtMs: datagram.nowMs });
  return send(next, payloadType.rakp4, answer);
}

const OUTSIDE_A_SESSION = { isEncrypted: false, isAuthenticated: false, sessionId: 0, sequence: 0 };

function send(responder: Responder, type: number, payload: Uint8Array): ResponderStep {
  const body = encodeExtendedPacket({ ...OUTSIDE_A_SESSION, payloadType: type, payload });
  return { responder, sends: [encodeRmcp({ messageClass: 'ipmi', body })] };
}
