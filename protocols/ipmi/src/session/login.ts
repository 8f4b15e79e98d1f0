/**
 * The login of a client as a pure machine: capabilities, cipher suites, Open Session, and the RAKP messages (section 13.15). The shell
 * owns socket and timer and performs each step. A datagram that does not belong to the login is ignored for a reason, and the timer
 * continues, so that a stranger who sends packets does not end it.
 */
import { encodeUtf8 } from '@tinkerbell/wire';
import {
  capabilitiesRequest,
  CIPHER_INDEX_MAX,
  cipherSuitesRequest,
} from '../commands/channel-capabilities.ts';
import { challengeRequest } from '../commands/challenge-commands.ts';
import { encodeRequest, type IpmiRequest } from '../message/ipmi-message.ts';
import { encodeRmcp } from '../packet/rmcp.ts';
import { encodeExtendedPacket, encodePlainPacket, payloadType } from '../packet/session-packet.ts';
import { cipherSuites, type CipherSuite } from './cipher-suite.ts';
import type { KeyCodes } from './key-exchange.ts';
import { encodeOpenSessionRequest } from './open-session.ts';
import type { Session } from './protection.ts';
import { encodeRakp1, encodeRakpProof, NAME_ONLY_LOOKUP } from './rakp-message.ts';
import { FIRST_WAIT_MS, repeatWaits } from './repeat-waits.ts';

export interface LoginSettings {
  readonly username: string;
  readonly password: string;
  /** Absent: the suites that the BMC lists, the preferred one first. */
  readonly suite?: CipherSuite;
  /** Default: 2.0. IPMI 1.5 is for BMCs that have nothing better: its packets are not encrypted. */
  readonly version?: '2.0' | '1.5';
  /** A level of `privilegeLevel`. */
  readonly privilege: number;
  /** An unpredictable number from 1 to 2^32 - 1. With IPMI 1.5 it is the number of the first packet of the BMC. */
  readonly clientId: number;
  /** Sixteen unpredictable bytes. */
  readonly clientRandom: Uint8Array;
  /** The limit for each request and its answer, with all repetitions. */
  readonly timeoutMs: number;
}

export type LoginPhase =
  | 'capabilities'
  | 'cipher-suites'
  | 'open-session'
  | 'rakp-2'
  | 'rakp-4'
  | 'challenge'
  | 'activate'
  | 'over';

/** What the BMC has answered so far. */
export interface LoginProgress {
  readonly cipherRecords: Uint8Array;
  readonly cipherIndex: number;
  /** The suites that are left to try. The first one is proposed. */
  readonly suites: readonly CipherSuite[];
  readonly bmcId: number;
  readonly codes?: KeyCodes;
  readonly needsBmcKey: boolean;
  /** The datagram that activates a session of IPMI 1.5. */
  readonly activation?: Uint8Array;
}

export interface Login {
  readonly settings: LoginSettings;
  readonly phase: LoginPhase;
  readonly progress: LoginProgress;
  /** The waits that are left in this phase, the running one first. */
  readonly waits: readonly number[];
  /** The BMC has answered in an earlier phase. */
  readonly isAnswered: boolean;
  /** Why the last datagram of this phase was ignored. */
  readonly ignored?: string;
}

/**
 * - `no-answer`: nothing came. `stopped-answering`: an earlier phase was answered.
 * - `invalid-answer`: only datagrams came that break the protocol. The detail names the last problem.
 * - `ipmi-1.5-only`, `no-ipmi-1.5`: the BMC does not have the version that was asked for.
 * - `no-common-cipher-suite`: this BMC cannot be used safely.
 * - `refused`: the BMC refused with a RAKP status.
 * - `wrong-password`: the BMC does not know the same password (the digest of RAKP message 2).
 * - `wrong-final-digest`: the BMC knows the password, and its last digest is wrong.
 */
export type LoginFailure =
  | {
      readonly reason:
        | 'no-answer'
        | 'stopped-answering'
        | 'invalid-answer'
        | 'ipmi-1.5-only'
        | 'no-ipmi-1.5'
        | 'no-common-cipher-suite'
        | 'wrong-password'
        | 'wrong-final-digest';
      readonly detail: string;
    }
  | { readonly reason: 'refused'; readonly detail: string; readonly status: number };

export type LoginOutcome =
  | { readonly kind: 'established'; readonly session: Session }
  | { readonly kind: 'failed'; readonly failure: LoginFailure };

export interface LoginStep {
  readonly login: Login;
  readonly sends: readonly Uint8Array[];
  /** Restart the timer with this value. When absent, the running timer continues. */
  readonly timeoutMs?: number;
  /** Why the datagram had no effect. */
  readonly ignored?: string;
  /** Present once. The timer must be stopped. */
  readonly outcome?: LoginOutcome;
}

const nothingYet: LoginProgress = {
  cipherRecords: new Uint8Array(),
  cipherIndex: 0,
  suites: [],
  bmcId: 0,
  needsBmcKey: false,
};

/** Returns the first step, which asks for the capabilities of the channel. */
export function startLogin(settings: LoginSettings): LoginStep {
  const suites = settings.suite === undefined ? [] : [settings.suite];
  const login: Login = {
    settings,
    phase: 'capabilities',
    progress: { ...nothingYet, suites },
    waits: [],
    isAnswered: false,
  };
  return enterPhase(login, 'capabilities', {});
}

/** A phase sends its packet and starts its own waits. */
export function enterPhase(before: Login, phase: LoginPhase, changes: Partial<LoginProgress>): LoginStep {
  const { settings } = before;
  const waits = phase === 'cipher-suites' ? CIPHER_WAITS : repeatWaits(settings.timeoutMs);
  const progress = { ...before.progress, ...changes };
  const isAnswered = phase !== 'capabilities';
  const login: Login = { settings, phase, progress, waits, isAnswered };
  return { login, sends: [packetOf(login)], ...timeoutOf(waits) };
}

/** Returns the step when the timer of the phase ends. */
export function onLoginTimeout(login: Login): LoginStep {
  if (login.phase === 'over') return { login, sends: [] };
  const waits = login.waits.slice(1);
  if (waits.length > 0) {
    return { login: { ...login, waits }, sends: [packetOf(login)], ...timeoutOf(waits) };
  }
  // Some BMCs never answer Get Channel Cipher Suites: OpenIPMI's simulator, and firmware from before IPMI 2.0 revision 1.1.
  if (login.phase === 'cipher-suites') return enterPhase(login, 'open-session', { suites: cipherSuites });
  if (login.ignored !== undefined && login.phase !== 'activate')
    return failLogin(login, { reason: 'invalid-answer', detail: login.ignored });
  const detail = `no answer to ${PHASE_NAMES[login.phase]}`;
  // A BMC must not answer a digest that is wrong (section 22.17).
  if (login.phase === 'activate')
    return failLogin(login, { reason: 'wrong-password', detail: `${detail}, as after a wrong password` });
  return failLogin(login, { reason: login.isAnswered ? 'stopped-answering' : 'no-answer', detail });
}

export function failLogin(login: Login, failure: LoginFailure): LoginStep {
  return endLogin(login, { kind: 'failed', failure });
}

export function endLogin(login: Login, outcome: LoginOutcome): LoginStep {
  return { login: { ...login, phase: 'over' }, sends: [], outcome };
}

export function ignoreDatagram(login: Login, ignored: string): LoginStep {
  return { login: { ...login, ignored }, sends: [], ignored };
}

export function usernameBytes({ username }: LoginSettings): Uint8Array {
  return encodeUtf8(username);
}

export function passwordBytes({ password }: LoginSettings): Uint8Array {
  return encodeUtf8(password);
}

/** The privilege byte of RAKP message 1. */
export function roleOf({ privilege }: LoginSettings): number {
  return NAME_ONLY_LOOKUP | privilege;
}

/** The suite that is proposed or in use. */
export function suiteOf({ progress }: Login): CipherSuite | undefined {
  return progress.suites[0];
}

/** Message tags are the numbers of the phases, so an answer of an earlier phase is recognized. */
export const loginTags = { 'open-session': 1, 'rakp-2': 2, 'rakp-4': 3 } as const;
/** Requests outside a session have the sequence number of their phase, and of their index. */
export function plainRequestOf(login: Login): (IpmiRequest & { readonly sequence: number }) | undefined {
  if (login.phase === 'capabilities') {
    return { ...capabilitiesRequest(login.settings.privilege), sequence: CAPABILITIES_SEQUENCE };
  }
  if (login.phase === 'challenge')
    return { ...challengeRequest(usernameBytes(login.settings)), sequence: CHALLENGE_SEQUENCE };
  if (login.phase !== 'cipher-suites') return undefined;
  const { cipherIndex } = login.progress;
  return { ...cipherSuitesRequest(cipherIndex), sequence: cipherIndex & CIPHER_INDEX_MAX };
}

const CAPABILITIES_SEQUENCE = 0x3f;
const CHALLENGE_SEQUENCE = 1;
/** Short, because a BMC that does not answer this one is common. */
const CIPHER_WAITS: readonly number[] = [FIRST_WAIT_MS, FIRST_WAIT_MS];

const PHASE_NAMES: Readonly<Record<LoginPhase, string>> = {
  capabilities: 'Get Channel Authentication Capabilities',
  'cipher-suites': 'Get Channel Cipher Suites',
  'open-session': 'Open Session',
  'rakp-2': 'RAKP message 1',
  'rakp-4': 'RAKP message 3',
  challenge: 'Get Session Challenge',
  activate: 'Activate Session',
  over: 'the login',
};

function timeoutOf(waits: readonly number[]): { readonly timeoutMs?: number } {
  const [timeoutMs] = waits;
  return timeoutMs === undefined ? {} : { timeoutMs };
}

function packetOf(login: Login): Uint8Array {
  const { activation } = login.progress;
  if (login.phase === 'activate' && activation !== undefined) return activation;
  const request = plainRequestOf(login);
  const body =
    request === undefined
      ? encodeExtendedPacket({ ...OUTSIDE_A_SESSION, ...loginPayload(login) })
      : encodePlainPacket(encodeRequest(request, request.sequence));
  return encodeRmcp({ messageClass: 'ipmi', body });
}

const OUTSIDE_A_SESSION = { isEncrypted: false, isAuthenticated: false, sessionId: 0, sequence: 0 };
const NO_ALGORITHMS = { authentication: 0, integrity: 0, confidentiality: 0 };

function loginPayload(login: Login): { readonly payloadType: number; readonly payload: Uint8Array } {
  const { settings, progress, phase } = login;
  const { clientId, clientRandom, privilege } = settings;
  if (phase === 'open-session') {
    const algorithms = suiteOf(login) ?? NO_ALGORITHMS;
    const payload = encodeOpenSessionRequest({ tag: loginTags[phase], privilege, clientId, algorithms });
    return { payloadType: payloadType.openSessionRequest, payload };
  }
  const { bmcId } = progress;
  if (phase === 'rakp-2') {
    const username = usernameBytes(settings);
    const payload = encodeRakp1({
      tag: loginTags[phase],
      bmcId,
      clientRandom,
      role: roleOf(settings),
      username,
    });
    return { payloadType: payloadType.rakp1, payload };
  }
  const code = progress.codes?.rakp3 ?? new Uint8Array();
  const payload = encodeRakpProof({ tag: loginTags['rakp-4'], status: 0, receiverId: bmcId, code });
  return { payloadType: payloadType.rakp3, payload };
}
