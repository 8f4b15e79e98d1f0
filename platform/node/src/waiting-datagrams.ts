import { performance } from 'node:perf_hooks';
import type { Datagram } from '@tinkerbell/platform-contract';
import { COALESCED_MICROSECONDS, Coalescing } from './coalescing.ts';
import { datagramCalls, type DatagramCalls } from './datagram-calls.ts';
import { KeptDatagrams } from './kept-datagrams.ts';
import type { Outgoing } from './outgoing-batch.ts';
import { createReadySockets, type ReadySockets } from './ready-sockets.ts';

/** The time in one turn of the event loop for reading datagrams. Then everything else has its turn. */
const TURN_MS = 2;
/** The number of polls at the end of a turn, and how many may be in vain. Answers to what was just sent are on their way. */
const LAST_LOOKS_MAX = 64;
const LAST_LOOKS_IN_VAIN_MAX = 16;

/** The number of datagrams of one socket, or of empty polls, before the others have their turn. */
const ASKED_MAX = 64;
/** The number of datagrams delivered between two readings of the clock. */
const CLOCK_EVERY = 8;

/**
 * The time to busy-wait for the next datagram. A nearby peer answers in this time, and going to sleep and waking up takes longer
 * than its answer.
 */
const AWAKE_MS = 0.1;
/** The limit of busy-waiting before everything else has its turn. */
const AWAKE_MS_MAX = 2;
/** The number of calls of `take` that skip polling after this many polls found nothing: the peers are far away or gone. */
const SKIPPED_MAX = 16;

type Receiver = (datagram: Datagram) => void;

interface WatchedSocket {
  readonly receiver: Receiver;
  /** The peer answers at once. */
  readonly isLockStep: boolean;
  /** At a high rate, waits for several datagrams. */
  readonly coalesces?: boolean;
}

let loaded: Promise<WaitingDatagrams | undefined> | undefined;

/** One instance for the whole program. Undefined except on 64-bit Linux with FFI. */
export function waitingDatagrams(): Promise<WaitingDatagrams | undefined> {
  loaded ??= datagramCalls().then(async (calls) =>
    calls === undefined ? undefined : new WaitingDatagrams(calls, await createReadySockets()),
  );
  return loaded;
}

/** Delivers what waits on the sockets of this program, without a turn of the event loop for each datagram. */
export class WaitingDatagrams {
  readonly #calls: DatagramCalls;
  readonly #ready: ReadySockets;
  readonly #sockets = new Map<number, WatchedSocket>();
  readonly #nowMs: () => number;
  /** Undefined until something is read in this turn. */
  #turnEndsMs: number | undefined;
  #toSkip = 0;
  #skipped = 0;
  /** Answers are queued until one call can send them. */
  #isTogether = false;
  /**
   * The only socket that had something at the last poll, else -1. It is read directly, because polling all sockets takes three
   * times as long.
   */
  #only = -1;
  /** True if it had something at the last read. Then more is expected, and one call reads all of it. */
  #isCrowded = false;
  /** The number of its datagrams, or of empty reads, since the last poll. */
  #asked = 0;
  readonly #coalescing = new Coalescing();
  /** The datagrams for the next turn. */
  readonly #kept = new KeptDatagrams();

  constructor(calls: DatagramCalls, ready: ReadySockets, nowMs = () => performance.now()) {
    this.#calls = calls;
    this.#ready = ready;
    this.#nowMs = nowMs;
  }

  add(fd: number, socket: WatchedSocket): void {
    this.#sockets.set(fd, socket);
    this.#ready.watch(fd);
  }

  /** Call it before the descriptor is closed, because another socket may soon get its number. */
  remove(fd: number): void {
    this.sendWaiting();
    this.#sockets.delete(fd);
    this.#ready.forget(fd);
    if (this.#only === fd) this.#only = -1;
  }

  /** Sends at once, or with the answers to everything that was received with it. Returns false when the kernel took nothing. */
  send(fd: number, outgoing: Outgoing): boolean {
    if (this.#isTogether && this.#calls.sendLater(fd, outgoing)) return true;
    this.sendWaiting();
    return this.#calls.send(fd, outgoing);
  }

  /** Call it before anything is sent by other means, so that answers are sent in order. */
  sendWaiting(): void {
    if (this.#isTogether) this.#calls.flush();
  }

  /**
   * Call it after a datagram from `after`. It reads each socket in turn until nothing waits, at most 128 datagrams of one before
   * the next, so that a flood on one does not delay the others. It often skips polling when recent polls were in vain. The event
   * loop then delivers what waits, at its higher cost.
   */
  take(after: number): void {
    this.#coalescing.add(1);
    if (this.#skipped < this.#toSkip) {
      this.#skipped += 1;
      return;
    }
    const startMs = this.#nowMs();
    if (this.#isTurnOver(startMs)) return;
    const isFound = this.#takeAll(startMs, this.#awakeMs(after), this.#mayPause(after));
    this.#toSkip = isFound ? 0 : Math.min(SKIPPED_MAX, this.#toSkip * 2 + 1);
    this.#skipped = 0;
  }

  #takeAll(startMs: number, firstAwakeMs: number, mayPauseFirst: boolean): boolean {
    let isFound = false;
    let nowMs = startMs;
    let untilMs = startMs + firstAwakeMs;
    let mayPause = mayPauseFirst;
    for (;;) {
      const mayAwait = nowMs < untilMs;
      const fd = this.#takeNext(mayAwait);
      nowMs = this.#nowMs();
      if (fd >= 0) {
        if (!isFound) this.#beginTurn(startMs);
        isFound = true;
        untilMs = Math.min(startMs + AWAKE_MS_MAX, nowMs + this.#awakeMs(fd));
        mayPause = this.#mayPause(fd);
        if (this.#isTurnOver(nowMs)) break;
      } else if (mayPause && this.#coalescing.isHigh(nowMs)) {
        this.#pause(startMs);
        mayPause = false;
      } else if (!mayAwait) break;
    }
    if (this.#isTurnOver(nowMs)) this.#keepRest();
    return isFound;
  }

  #mayPause(after: number): boolean {
    return this.#sockets.get(after)?.coalesces === true;
  }

  /** Waits for several datagrams, which are then received in one call. */
  #pause(startMs: number): void {
    this.#beginTurn(startMs);
    this.#calls.pause(COALESCED_MICROSECONDS);
    this.#isCrowded = true;
  }

  /** The turn is over when the event loop has completed a round, not when the next socket has its callback. */
  #beginTurn(nowMs: number): void {
    if (this.#turnEndsMs !== undefined) return;
    this.#turnEndsMs = nowMs + TURN_MS;
    setImmediate(() => this.#nextTurn());
  }

  #isTurnOver(nowMs: number): boolean {
    return this.#turnEndsMs !== undefined && nowMs >= this.#turnEndsMs;
  }

  /**
   * Reads what still waits at the end of a turn, for the next one. Otherwise the event loop would deliver 32 of these datagrams
   * before anything else has its turn, each at three times the cost.
   */
  #keepRest(): void {
    let inVain = 0;
    for (let looks = 0; looks < LAST_LOOKS_MAX && inVain < LAST_LOOKS_IN_VAIN_MAX; looks += 1) {
      const count = this.#kept.hasRoom ? this.#ready.look() : 0;
      inVain = count === 0 ? inVain + 1 : 0;
      for (let index = 0; index < count && this.#kept.hasRoom; index += 1) {
        const fd = this.#ready.fdAt(index);
        const receiver = this.#sockets.get(fd)?.receiver;
        if (receiver === undefined) continue;
        this.#coalescing.add(this.#calls.receiveMany(fd, (datagram) => this.#kept.keep(receiver, datagram)));
      }
    }
  }

  #nextTurn(): void {
    this.#turnEndsMs = undefined;
    if (this.#kept.isEmpty) return;
    const startMs = this.#nowMs();
    this.#beginTurn(startMs);
    // If a receiver throws, the next turn continues with the other datagrams.
    this.#together(() => this.#handOutKept(startMs + TURN_MS));
    if (this.#kept.isEmpty) this.#takeAll(startMs, AWAKE_MS, this.#mayPause(this.#only));
    else this.#keepRest();
  }

  #handOutKept(untilMs: number): void {
    for (let count = 1; !this.#kept.isEmpty; count += 1) {
      this.#kept.handOut();
      if (count % CLOCK_EVERY === 0 && this.#nowMs() >= untilMs) break;
    }
  }

  #awakeMs(fd: number): number {
    return this.#sockets.get(fd)?.isLockStep === true ? AWAKE_MS : 0;
  }

  /**
   * Returns a socket that has something, from the only socket or from all, preferring a lock-step one. Returns -1 when nothing
   * waits.
   */
  #takeNext(mayAwait: boolean): number {
    const only = this.#asked < ASKED_MAX ? this.#sockets.get(this.#only) : undefined;
    if (only === undefined) return this.#takeFromAll();
    this.#asked += 1;
    if (this.#takeFrom(this.#only, only)) return this.#only;
    return mayAwait && only.isLockStep ? -1 : this.#takeFromAll();
  }

  #takeFrom(fd: number, socket: WatchedSocket): boolean {
    if (this.#isCrowded) {
      const count = this.#takeMany(fd, socket);
      this.#isCrowded = count > 1;
      return count > 0;
    }
    const datagram = this.#calls.receive(fd);
    this.#isCrowded = datagram !== undefined;
    if (datagram === undefined) return false;
    this.#coalescing.add(1);
    socket.receiver(datagram);
    return true;
  }

  #takeFromAll(): number {
    const count = this.#ready.look();
    let found = -1;
    this.#asked = 0;
    for (let index = 0; index < count; index += 1) {
      const fd = this.#ready.fdAt(index);
      const socket = this.#sockets.get(fd);
      this.#isCrowded = false;
      if (socket === undefined || !this.#takeFrom(fd, socket)) continue;
      if (found < 0 || socket.isLockStep) found = fd;
    }
    if (count > 0) this.#only = count === 1 ? found : -1;
    return found;
  }

  /** Delivers the datagrams and sends the answers together. Returns how many. */
  #takeMany(fd: number, { receiver }: WatchedSocket): number {
    let count = 0;
    this.#together(() => {
      count = this.#calls.receiveMany(fd, receiver);
    });
    this.#asked += count;
    this.#coalescing.add(count);
    return count;
  }

  #together(receive: () => void): void {
    this.#isTogether = true;
    try {
      receive();
    } finally {
      this.#isTogether = false;
      this.#calls.flush();
    }
  }
}
