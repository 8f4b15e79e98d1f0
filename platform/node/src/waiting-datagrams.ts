import { performance } from 'node:perf_hooks';
import type { Datagram } from '@tinkerbell/platform-contract';
import { datagramCalls, type DatagramCalls } from './datagram-calls.ts';
import { KeptDatagrams } from './kept-datagrams.ts';
import type { Outgoing } from './outgoing-batch.ts';
import { createReadySockets, type ReadySockets } from './ready-sockets.ts';

/** How long datagrams are taken in one turn of the event loop; then everything else has its turn. */
const TURN_MS = 4;
/** At the end of a turn: looks for what waits, and how many of them in vain. Answers to what was just sent are on their way. */
const LAST_LOOKS_MAX = 64;
const LAST_LOOKS_IN_VAIN_MAX = 16;

/** Datagrams of one socket, or vain questions, before the others have their turn. */
const ASKED_MAX = 64;
/** Datagrams handed out between two looks at the clock. */
const CLOCK_EVERY = 8;

/**
 * How long the next datagram is waited for without going to sleep: a peer nearby answers in this time, and to fall asleep and be
 * woken up takes longer than its answer.
 */
const AWAKE_MS = 0.1;
/** How long that goes on before everything else has its turn. */
const AWAKE_MS_MAX = 2;
/** Calls of `take` that do not look, after so many that found nothing: the peers are far away, or nobody is there. */
const SKIPPED_MAX = 16;

type Receiver = (datagram: Datagram) => void;

interface WatchedSocket {
  readonly receiver: Receiver;
  /** The peer answers at once what it is sent. */
  readonly isLockStep: boolean;
}

let loaded: Promise<WaitingDatagrams | undefined> | undefined;

/** One for the whole program. Undefined where there is no Linux on 64 bits or no FFI. */
export function waitingDatagrams(): Promise<WaitingDatagrams | undefined> {
  loaded ??= datagramCalls().then(async (calls) =>
    calls === undefined ? undefined : new WaitingDatagrams(calls, await createReadySockets()),
  );
  return loaded;
}

/** What waits on the sockets of this program, handed out without a turn of the event loop for each datagram. */
export class WaitingDatagrams {
  readonly #calls: DatagramCalls;
  readonly #ready: ReadySockets;
  readonly #sockets = new Map<number, WatchedSocket>();
  readonly #nowMs: () => number;
  /** Undefined until something is taken in this turn. */
  #turnEndsMs: number | undefined;
  #toSkip = 0;
  #skipped = 0;
  /** Answers are kept until they can be sent by one call. */
  #isTogether = false;
  /** The only socket that had something at the last look, else -1. It is asked itself: to look at all takes three times as long. */
  #only = -1;
  /** It had something when it was asked last: then there is more, and all of it is taken by one call. */
  #isCrowded = false;
  /** Datagrams of it, or vain questions, since the last look. */
  #asked = 0;
  /** For the next turn. */
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

  /** Before the descriptor is closed: its number may soon be another socket's. */
  remove(fd: number): void {
    this.sendWaiting();
    this.#sockets.delete(fd);
    this.#ready.forget(fd);
    if (this.#only === fd) this.#only = -1;
  }

  /** At once, or with the answers to all that was received with it. False when the kernel took nothing. */
  send(fd: number, outgoing: Outgoing): boolean {
    if (this.#isTogether && this.#calls.sendLater(fd, outgoing)) return true;
    this.sendWaiting();
    return this.#calls.send(fd, outgoing);
  }

  /** Before anything is sent by other means: answers go out in the order in which they were given. */
  sendWaiting(): void {
    if (this.#isTogether) this.#calls.flush();
  }

  /**
   * After a datagram from `after`: what waits on each socket in turn, until nothing does, at most 128 datagrams of one before the
   * next: a flood on one does not hold up the others. Often it does not even look, where that was in vain lately: what waits then comes from the event loop, at its price.
   */
  take(after: number): void {
    if (this.#skipped < this.#toSkip) {
      this.#skipped += 1;
      return;
    }
    const startMs = this.#nowMs();
    if (startMs >= (this.#turnEndsMs ?? Number.POSITIVE_INFINITY)) return;
    const isFound = this.#takeAll(startMs, this.#awakeMs(after));
    this.#toSkip = isFound ? 0 : Math.min(SKIPPED_MAX, this.#toSkip * 2 + 1);
    this.#skipped = 0;
  }

  #takeAll(startMs: number, firstAwakeMs: number): boolean {
    let isFound = false;
    let nowMs = startMs;
    let untilMs = startMs + firstAwakeMs;
    for (;;) {
      const mayAwait = nowMs < untilMs;
      const fd = this.#takeNext(mayAwait);
      nowMs = this.#nowMs();
      if (fd >= 0) {
        if (!isFound) this.#beginTurn(startMs);
        isFound = true;
        untilMs = Math.min(startMs + AWAKE_MS_MAX, nowMs + this.#awakeMs(fd));
        if (nowMs >= (this.#turnEndsMs ?? 0)) break;
      } else if (!mayAwait) break;
    }
    if (nowMs >= (this.#turnEndsMs ?? Number.POSITIVE_INFINITY)) this.#keepRest();
    return isFound;
  }

  /** It is over when the event loop has gone round, not when the next socket has its callback. */
  #beginTurn(nowMs: number): void {
    if (this.#turnEndsMs !== undefined) return;
    this.#turnEndsMs = nowMs + TURN_MS;
    setImmediate(() => this.#nextTurn());
  }

  /**
   * What waits when a turn is over, for the next one. Left where it is, the event loop would hand out 32 of it before anything else
   * has its turn, each at three times the price.
   */
  #keepRest(): void {
    let inVain = 0;
    for (let looks = 0; looks < LAST_LOOKS_MAX && inVain < LAST_LOOKS_IN_VAIN_MAX; looks += 1) {
      const count = this.#kept.hasRoom ? this.#ready.look() : 0;
      inVain = count === 0 ? inVain + 1 : 0;
      for (let index = 0; index < count && this.#kept.hasRoom; index += 1) {
        const fd = this.#ready.fdAt(index);
        const receiver = this.#sockets.get(fd)?.receiver;
        if (receiver !== undefined)
          this.#calls.receiveMany(fd, (datagram) => this.#kept.keep(receiver, datagram));
      }
    }
  }

  #nextTurn(): void {
    this.#turnEndsMs = undefined;
    if (this.#kept.isEmpty) return;
    const startMs = this.#nowMs();
    this.#beginTurn(startMs);
    // Where a receiver throws, the next turn goes on with the others.
    this.#together(() => this.#handOutKept(startMs + TURN_MS));
    if (this.#kept.isEmpty) this.#takeAll(startMs, AWAKE_MS);
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

  /** What waits on the one socket or on all; one that had something, a lock-step one if there is, or -1. */
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
    if (datagram !== undefined) socket.receiver(datagram);
    return datagram !== undefined;
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

  /** And sends the answers together. How many. */
  #takeMany(fd: number, { receiver }: WatchedSocket): number {
    let count = 0;
    this.#together(() => {
      count = this.#calls.receiveMany(fd, receiver);
    });
    this.#asked += count;
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
