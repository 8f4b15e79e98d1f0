/**
 * The side of a BMC as a pure machine: presence pings, logins, sessions, and who may send which command. The shell owns socket and clock.
 * It performs the commands that a step names, and passes their answers to `answerRequest`.
 */
import type { IpmiResponse, RequestMessage } from '../message/ipmi-message.ts';
import type { CipherSuite } from '../session/cipher-suite.ts';
import type { KeyCodes } from '../session/key-exchange.ts';
import type { Payload, Session } from '../session/protection.ts';

export interface BmcAccount {
  readonly username: string;
  readonly password: string;
  /** The highest level of `privilegeLevel` that the account may have. */
  readonly privilege: number;
}

export interface ResponderSettings {
  readonly accounts: readonly BmcAccount[];
  /** Sixteen bytes. */
  readonly guid: Uint8Array;
  readonly suites: readonly CipherSuite[];
}

/** A login in progress, or a session. */
export interface ResponderSession {
  /** The id that the BMC chose. */
  readonly id: number;
  readonly clientId: number;
  /** The address and port of the client. */
  readonly peer: string;
  readonly suite: CipherSuite;
  readonly activeAtMs: number;
  readonly account?: BmcAccount;
  /** The RAKP message 1 that was answered, and the answer, which is repeated for the same message. */
  readonly challenge?: { readonly request: Uint8Array; readonly answer: Uint8Array };
  readonly codes?: KeyCodes;
  /** The highest level that the client asked for. */
  readonly levelMax: number;
  /** The present level. A session starts as a user. */
  readonly level: number;
  /** Present when the login has ended. */
  readonly session?: Session;
  /** The last request and its answer. A client that missed the answer repeats the request. */
  readonly answered?: { readonly request: RequestMessage; readonly response: IpmiResponse | undefined };
}

export interface Responder {
  readonly settings: ResponderSettings;
  readonly sessions: readonly ResponderSession[];
}

/** Sessions and logins at a time. Real BMCs have from 4 to 15. */
export const RESPONDER_SESSIONS_MAX = 15;
/** Section 6.12.15. */
export const SESSION_TIMEOUT_MS = 60_000;

export interface ResponderDatagram {
  readonly peer: string;
  readonly bytes: Uint8Array;
  readonly nowMs: number;
  /** Twenty unpredictable bytes: an id for a session, and a random number for a login. */
  readonly entropy: Uint8Array;
}

/** A command to perform. Id 0: it came outside a session. */
export interface ReceivedRequest {
  readonly sessionId: number;
  readonly message: RequestMessage;
}

export interface ResponderStep {
  readonly responder: Responder;
  /** Datagrams to the sender of the one that was received. */
  readonly sends: readonly Uint8Array[];
  /** A command that the caller performs. */
  readonly request?: ReceivedRequest;
  /** A payload of another type than IPMI messages. */
  readonly payload?: { readonly sessionId: number; readonly payload: Payload };
  /** Ids of sessions that ended. */
  readonly ended?: readonly number[];
  readonly ignored?: string;
}

export function createResponder(settings: ResponderSettings): Responder {
  return { settings, sessions: [] };
}

export function sessionWithId(responder: Responder, id: number): ResponderSession | undefined {
  return responder.sessions.find((session) => session.id === id);
}

export function withSession(responder: Responder, session: ResponderSession): Responder {
  const others = responder.sessions.filter(({ id }) => id !== session.id);
  return { ...responder, sessions: [...others, session] };
}

export function withoutSession(responder: Responder, id: number): Responder {
  return { ...responder, sessions: responder.sessions.filter((session) => session.id !== id) };
}

export function ignoreRequest(responder: Responder, ignored: string): ResponderStep {
  return { responder, sends: [], ignored };
}
