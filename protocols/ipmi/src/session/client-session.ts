/**
 * The requests of a client within a session, one at a time, as a pure machine. A request is sent again until its answer arrives or its
 * waits are over. A request that must not be performed twice, such as a power cycle, is sent once (G17): the caller reads the state back.
 */
import type { IpmiCrypto } from '../crypto.ts';
import { completion } from '../message/completion-code.ts';
import {
  decodeResponse,
  encodeRequest,
  type IpmiRequest,
  type IpmiResponse,
} from '../message/ipmi-message.ts';
import { decodeRmcp } from '../packet/rmcp.ts';
import { decodeSessionPacket, payloadType } from '../packet/session-packet.ts';
import { openPacket, sealPayload, type Payload, type Session } from './protection.ts';
import { repeatWaits } from './repeat-waits.ts';

export interface SentRequest {
  readonly request: IpmiRequest;
  readonly sequence: number;
  readonly mayRepeat: boolean;
  /** The waits that are left, the running one first. */
  readonly waits: readonly number[];
  /** The BMC was busy when it answered last. */
  readonly busy?: IpmiResponse;
}

export interface ClientSession {
  readonly session: Session;
  /** The sequence number of the last request, 0 to 63. */
  readonly sequence: number;
  readonly pending?: SentRequest;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  /** Default: true. */
  readonly mayRepeat?: boolean;
}

export interface ClientStep {
  readonly client: ClientSession;
  readonly sends: readonly Uint8Array[];
  readonly timeoutMs?: number;
  /** Present once for each request. Undefined `response`: no answer came in time. */
  readonly outcome?: { readonly response: IpmiResponse | undefined };
  /** A payload of another type than IPMI messages. */
  readonly payload?: Payload;
  readonly ignored?: string;
}

const SEQUENCE_MASK = 0x3f;

export function createClientSession(session: Session): ClientSession {
  return { session, sequence: 0 };
}

/** Sends a request. The one before it must have its outcome. */
export function startRequest(
  client: ClientSession,
  { request, timeoutMs, mayRepeat = true }: RequestOptions & { readonly request: IpmiRequest },
  crypto: IpmiCrypto,
): ClientStep {
  const sequence = nextSequence(client);
  const waits = mayRepeat ? repeatWaits(timeoutMs) : [timeoutMs];
  return sendRequest({ ...client, sequence, pending: { request, sequence, mayRepeat, waits } }, crypto);
}

function nextSequence({ sequence }: ClientSession): number {
  return (sequence + 1) & SEQUENCE_MASK;
}

/** Sends a payload of another type, for example of the serial console. */
export function sendPayload(client: ClientSession, payload: Payload, crypto: IpmiCrypto): ClientStep {
  const { session, datagram } = sealPayload(client.session, payload, crypto);
  return { client: { ...client, session }, sends: [datagram] };
}

export type ClientEvent =
  | { readonly kind: 'datagram'; readonly bytes: Uint8Array }
  | { readonly kind: 'timeout' };

export function stepClient(client: ClientSession, event: ClientEvent, crypto: IpmiCrypto): ClientStep {
  return event.kind === 'timeout' ? onTimeout(client, crypto) : onDatagram(client, event.bytes, crypto);
}

function sendRequest(client: ClientSession, crypto: IpmiCrypto): ClientStep {
  const { pending } = client;
  if (pending === undefined) return { client, sends: [] };
  const payload = { type: payloadType.ipmi, bytes: encodeRequest(pending.request, pending.sequence) };
  const step = sendPayload(client, payload, crypto);
  const [timeoutMs] = pending.waits;
  return { ...step, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function onTimeout(client: ClientSession, crypto: IpmiCrypto): ClientStep {
  const { pending } = client;
  if (pending === undefined) return { client, sends: [] };
  const waits = pending.waits.slice(1);
  if (waits.length > 0) return sendRequest({ ...client, pending: { ...pending, waits } }, crypto);
  return settle(client, pending.busy);
}

function onDatagram(client: ClientSession, bytes: Uint8Array, crypto: IpmiCrypto): ClientStep {
  const rmcp = decodeRmcp(bytes);
  if (!rmcp.ok) return ignore(client, rmcp.error.message);
  const packet = decodeSessionPacket(rmcp.value.body);
  if (!packet.ok) return ignore(client, packet.error.message);
  const opened = openPacket(client.session, packet.value, crypto);
  if (!opened.ok) return ignore(client, opened.reason);
  const next = { ...client, session: opened.session };
  const { payload } = opened;
  if (payload.type !== payloadType.ipmi) return { client: next, sends: [], payload };
  return onResponse(next, payload.bytes);
}

function onResponse(client: ClientSession, bytes: Uint8Array): ClientStep {
  const response = decodeResponse(bytes);
  if (!response.ok) return ignore(client, response.error.message);
  const { pending } = client;
  const { netFn, command, sequence, completionCode } = response.value;
  const isTheAnswer =
    pending !== undefined &&
    netFn === pending.request.netFn &&
    command === pending.request.command &&
    sequence === pending.sequence;
  if (!isTheAnswer) return ignore(client, 'answer-of-another-request');
  if (completionCode !== completion.nodeBusy || !pending.mayRepeat) return settle(client, response.value);
  // The running wait continues, and the request is sent again when it ends. It was not performed, so it gets a new number: a BMC that
  // recognizes repeated requests would only repeat its answer.
  const next = nextSequence(client);
  const repeated = { ...pending, sequence: next, busy: response.value };
  return { client: { ...client, sequence: next, pending: repeated }, sends: [] };
}

function settle({ session, sequence }: ClientSession, response: IpmiResponse | undefined): ClientStep {
  return { client: { session, sequence }, sends: [], outcome: { response } };
}

function ignore(client: ClientSession, ignored: string): ClientStep {
  return { client, sends: [], ignored };
}
