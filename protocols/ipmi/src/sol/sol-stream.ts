/**
 * One side of a serial console as a pure machine (section 15.9). One packet is in flight in each direction. It is sent again until it
 * is acknowledged, and a packet that arrives twice is delivered once.
 *
 * Flow control has three forms. The receiver accepts fewer characters than were sent, or refuses the packet (NACK), or the BMC reports
 * that its serial port takes no characters. In each case the rest is sent later. A side that answers is never given up.
 */
import { joinBytes } from '../bytes.ts';
import { decodeSol, encodeSol, solOperation, solStatus, type SolPacket } from './sol-packet.ts';

export interface SolInFlight {
  readonly sequence: number;
  readonly characters: Uint8Array;
  readonly isBreak: boolean;
}

export interface SolStream {
  readonly side: 'client' | 'bmc';
  readonly charactersMax: number;
  /** Without an answer for so long, the console is lost. */
  readonly timeoutMs: number;
  /** Characters that were not sent yet. The caller limits them. */
  readonly queue: Uint8Array;
  readonly isBreakQueued: boolean;
  /** The number of the last packet that was sent, 0 to 15. */
  readonly sequence: number;
  readonly inFlight?: SolInFlight;
  /** The other side takes no characters for now. */
  readonly isSuspended: boolean;
  /** How long the other side has been silent while a packet was in flight or suspended. */
  readonly silentMs: number;
  readonly received: { readonly sequence: number; readonly count: number };
  /** This side takes no characters for now. */
  readonly isPaused: boolean;
  /** The number of the packet that was refused last, or 0, and how often it came again after this side resumed. */
  readonly refused: { readonly sequence: number; readonly repeats: number };
  readonly isOver: boolean;
}

export type SolEvent =
  | { readonly kind: 'write'; readonly characters: Uint8Array }
  | { readonly kind: 'break' }
  | { readonly kind: 'packet'; readonly payload: Uint8Array }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' };

export interface SolStep {
  readonly stream: SolStream;
  readonly sends: readonly Uint8Array[];
  /** Restart the timer with this value. When absent, the running timer continues. It is ignored when nothing waits. */
  readonly timeoutMs?: number;
  /** Characters that arrived. */
  readonly output?: Uint8Array;
  /** The other side sent a break, or the BMC detected one on the line. */
  readonly hasBreak?: boolean;
  /** Why the packet had no effect. */
  readonly ignored?: string;
  /** Present once. `deactivated`: the BMC closed the console. `lost`: it no longer answers. */
  readonly outcome?: 'deactivated' | 'lost';
}

/** Section 26.3: BMCs wait about as long themselves. */
export const SOL_RETRY_MS = 500;
const NOTHING = new Uint8Array();
const NONE_REFUSED = { sequence: 0, repeats: 0 };
/** A side that repeats a refused packet more often does not number its characters anew. */
const REFUSED_REPEATS_MAX = 2;

export function startSolStream(options: Pick<SolStream, 'side' | 'charactersMax' | 'timeoutMs'>): SolStream {
  return {
    ...options,
    queue: NOTHING,
    isBreakQueued: false,
    sequence: 0,
    isSuspended: false,
    silentMs: 0,
    received: { sequence: 0, count: 0 },
    isPaused: false,
    refused: NONE_REFUSED,
    isOver: false,
  };
}

export function stepSolStream(stream: SolStream, event: SolEvent): SolStep {
  if (stream.isOver) return { stream, sends: [] };
  switch (event.kind) {
    case 'write':
      return pump({ ...stream, queue: joinBytes(stream.queue, event.characters) }, []);
    case 'break':
      return pump({ ...stream, isBreakQueued: true }, []);
    case 'packet':
      return onPacket(stream, event.payload);
    case 'timeout':
      return onTimeout(stream);
    case 'pause':
      return { stream: { ...stream, isPaused: true }, sends: [] };
    case 'resume':
      return onResume(stream);
  }
}

/** Characters that the other side has not accepted yet. */
export function unacceptedCount({ queue, inFlight }: SolStream): number {
  return queue.length + (inFlight?.characters.length ?? 0);
}

function onTimeout(stream: SolStream): SolStep {
  const isWaiting = stream.inFlight !== undefined || stream.isSuspended;
  if (!isWaiting) return { stream, sends: [] };
  const silentMs = stream.silentMs + SOL_RETRY_MS;
  if (silentMs >= stream.timeoutMs)
    return { stream: { ...stream, isOver: true }, sends: [], outcome: 'lost' };
  const next = { ...stream, silentMs };
  if (next.inFlight !== undefined) return { stream: next, sends: [packetOf(next)], timeoutMs: SOL_RETRY_MS };
  return pump({ ...next, isSuspended: false }, []);
}

/** An acknowledgement of no characters of the refused packet makes the other side send them under a new number. */
function onResume(stream: SolStream): SolStep {
  const { sequence } = stream.refused;
  const sends = sequence === 0 ? [] : [acknowledgement({ sequence, count: 0, flags: 0 })];
  return { stream: { ...stream, isPaused: false }, sends };
}

function onPacket(before: SolStream, payload: Uint8Array): SolStep {
  const packet = decodeSol(payload);
  if (!packet.ok) return { stream: before, sends: [], ignored: packet.error.message };
  const { flags } = packet.value;
  if (before.side === 'client' && (flags & solStatus.deactivated) !== 0) {
    return { stream: { ...before, isOver: true }, sends: [], outcome: 'deactivated' };
  }
  const breakFlag = before.side === 'client' ? solStatus.breakDetected : solOperation.sendBreak;
  const { stream, sends, output, isNew } = deliver(acknowledge(before, packet.value), packet.value);
  const hasBreak = isNew && (flags & breakFlag) !== 0;
  const step = pump(stream, sends);
  return { ...step, ...(output === undefined ? {} : { output }), ...(hasBreak ? { hasBreak } : {}) };
}

/** What the packet says about the one in flight. */
function acknowledge(stream: SolStream, packet: SolPacket): SolStream {
  const { inFlight, ...heard } = { ...stream, silentMs: 0 };
  const isRefusal = (packet.flags & refusalFlags(stream)) !== 0;
  if (inFlight === undefined || packet.acknowledged !== inFlight.sequence) {
    // Characters of a side that refuses some do not mean that it takes some again. Otherwise two such sides would send without end.
    const isOnlyCharacters = packet.sequence !== 0 && packet.acknowledged === 0;
    const isSuspended = stream.isSuspended && (isRefusal || isOnlyCharacters);
    return inFlight === undefined ? { ...heard, isSuspended } : { ...heard, inFlight, isSuspended };
  }
  const rest = inFlight.characters.subarray(packet.acceptedCount);
  return {
    ...heard,
    queue: joinBytes(rest, stream.queue),
    isBreakQueued: stream.isBreakQueued || (inFlight.isBreak && isRefusal),
    // A side that accepted nothing would accept nothing at once.
    isSuspended: isRefusal || (rest.length > 0 && packet.acceptedCount === 0),
  };
}

function refusalFlags({ side }: SolStream): number {
  return side === 'client' ? solStatus.refused | solStatus.unavailable : solOperation.refused;
}

interface Delivery {
  readonly stream: SolStream;
  readonly sends: readonly Uint8Array[];
  readonly output?: Uint8Array;
  readonly isNew: boolean;
}

function deliver(stream: SolStream, { sequence, characters }: SolPacket): Delivery {
  if (sequence === 0) return { stream, sends: [], isNew: false };
  const isRepeated = sequence === stream.received.sequence;
  // A BMC may add characters to a packet that it repeats.
  const known = isRepeated ? stream.received.count : 0;
  const isComplete = isRepeated && characters.length <= known;
  if (!isComplete) {
    const refusal = refuse(stream, sequence);
    if (refusal !== undefined) return refusal;
  }
  const count = Math.max(known, characters.length);
  const output = characters.slice(known);
  return {
    stream: { ...stream, received: { sequence, count }, refused: NONE_REFUSED },
    sends: [acknowledgement({ sequence, count, flags: 0 })],
    ...(output.length === 0 ? {} : { output }),
    isNew: !isRepeated,
  };
}

/**
 * Refuses a packet while this side is paused. A packet that was refused stays so, because the other side may have numbered its
 * characters anew already, and they would be delivered twice.
 */
function refuse(stream: SolStream, sequence: number): Delivery | undefined {
  if (stream.isPaused) {
    const refusal = acknowledgement({ sequence, count: 0, flags: solOperation.refused });
    return { stream: { ...stream, refused: { sequence, repeats: 0 } }, sends: [refusal], isNew: false };
  }
  const { refused } = stream;
  if (sequence !== refused.sequence || refused.repeats >= REFUSED_REPEATS_MAX) return undefined;
  const again = { sequence, repeats: refused.repeats + 1 };
  const sends = [acknowledgement({ sequence, count: 0, flags: 0 })];
  return { stream: { ...stream, refused: again }, sends, isNew: false };
}

function acknowledgement(about: {
  readonly sequence: number;
  readonly count: number;
  readonly flags: number;
}): Uint8Array {
  const { sequence: acknowledged, count: acceptedCount, flags } = about;
  return encodeSol({ sequence: 0, acknowledged, acceptedCount, flags, characters: NOTHING });
}

/** Sends the next packet when none is in flight. */
function pump(stream: SolStream, sends: readonly Uint8Array[]): SolStep {
  const { queue, isBreakQueued, inFlight, isSuspended } = stream;
  if (isSuspended) return { stream, sends, timeoutMs: SOL_RETRY_MS };
  const hasNothing = queue.length === 0 && !isBreakQueued;
  if (inFlight !== undefined || hasNothing) return { stream, sends };
  const sequence = (stream.sequence % 15) + 1;
  const characters = queue.slice(0, stream.charactersMax);
  const next: SolStream = {
    ...stream,
    sequence,
    silentMs: 0,
    queue: queue.slice(characters.length),
    isBreakQueued: false,
    inFlight: { sequence, characters, isBreak: isBreakQueued },
  };
  return { stream: next, sends: [...sends, packetOf(next)], timeoutMs: SOL_RETRY_MS };
}

function packetOf({ side, inFlight, sequence }: SolStream): Uint8Array {
  const breakFlag = side === 'client' ? solOperation.sendBreak : solStatus.breakDetected;
  const flags = inFlight?.isBreak === true ? breakFlag : 0;
  const characters = inFlight?.characters ?? NOTHING;
  return encodeSol({ sequence, acknowledged: 0, acceptedCount: 0, flags, characters });
}
