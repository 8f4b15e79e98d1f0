import { datagramCalls, type DatagramCalls } from './datagram-calls.ts';
import type { OutgoingDatagrams, ReceivedDatagram } from './datagram-structures.ts';
import { createReadySockets, type ReadySockets } from './ready-sockets.ts';

/** Datagrams taken in one turn of the event loop, about 2 ms of work; then everything else has its turn. */
const DATAGRAMS_AT_ONCE_MAX = 256;

/**
 * How long the next datagram is waited for without going to sleep: a peer nearby answers in this time, and to fall asleep and be
 * woken up takes longer than its answer.
 */
const AWAKE_MS = 0.1;
/** How long that goes on before everything else has its turn. */
const AWAKE_MS_MAX = 2;
/** Calls of `take` that do not look, after so many that found nothing: the peers are far away, or nobody is there. */
const SKIPPED_MAX = 16;

type Receiver = (datagram: ReceivedDatagram) => void;

interface WatchedSocket {
  readonly receiver: Receiver;
  /** The peer answers at once what it is sent. */
  readonly isLockStep: boolean;
  /** What `send` took and the kernel did not. */
  readonly unsent: (datagrams: OutgoingDatagrams) => void;
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
  #left = DATAGRAMS_AT_ONCE_MAX;
  #toSkip = 0;
  #skipped = 0;
  /** Answers are kept until they can be sent by one call. */
  #isTogether = false;
  /** Found again by the next look, a socket has more than one datagram. */
  #foundLast = -1;

  constructor(calls: DatagramCalls, ready: ReadySockets) {
    this.#calls = calls;
    this.#ready = ready;
  }

  add(fd: number, socket: WatchedSocket): void {
    this.#sockets.set(fd, socket);
    this.#ready.watch(fd);
  }

  /** Before the descriptor is closed: its number may soon be another socket's. */
  remove(fd: number): void {
    this.#sockets.delete(fd);
  }

  /** At once, or with the answers to all that was received with it. False when the kernel took nothing. */
  send(fd: number, datagrams: OutgoingDatagrams): boolean {
    const unsent = this.#isTogether ? this.#sockets.get(fd)?.unsent : undefined;
    if (unsent !== undefined && this.#calls.sendLater(fd, datagrams, unsent)) return true;
    this.sendWaiting();
    return this.#calls.send(fd, datagrams);
  }

  /** Before anything is sent by other means: answers go out in the order in which they were given. */
  sendWaiting(): void {
    if (this.#isTogether) this.#calls.flush();
  }

  /**
   * After a datagram from `after`: what waits on each socket in turn, until nothing does, at most 32 datagrams of one before the
   * next: a flood on one does not hold up the others. Often it does not even look, where that was in vain lately: what waits then comes from the event loop, at its price.
   */
  take(after: number): void {
    if (this.#skipped < this.#toSkip) {
      this.#skipped += 1;
      return;
    }
    const isFound = this.#left > 0 && this.#takeAll(this.#awakeMs(after));
    this.#toSkip = isFound ? 0 : Math.min(SKIPPED_MAX, this.#toSkip * 2 + 1);
    this.#skipped = 0;
  }

  #takeAll(firstAwakeMs: number): boolean {
    let isFound = false;
    const startMs = performance.now();
    let untilMs = startMs + firstAwakeMs;
    while (this.#left > 0) {
      const count = this.#ready.look();
      if (count === 0) {
        this.#foundLast = -1;
        if (performance.now() >= untilMs) break;
        continue;
      }
      isFound = true;
      let awakeMs = 0;
      for (let index = 0; index < count && this.#left > 0; index += 1) {
        const fd = this.#ready.fdAt(index);
        this.#takeFrom(fd);
        awakeMs = Math.max(awakeMs, this.#awakeMs(fd));
      }
      untilMs = Math.min(startMs + AWAKE_MS_MAX, performance.now() + awakeMs);
    }
    return isFound;
  }

  #awakeMs(fd: number): number {
    return this.#sockets.get(fd)?.isLockStep === true ? AWAKE_MS : 0;
  }

  #takeFrom(fd: number): void {
    const socket = this.#sockets.get(fd);
    const isCrowded = this.#foundLast === fd;
    this.#foundLast = fd;
    if (socket !== undefined && isCrowded) return this.#takeMany(fd, socket);
    // Before the receiver is called: it may throw.
    this.#spend();
    const datagram = socket === undefined ? undefined : this.#calls.receive(fd);
    if (datagram !== undefined) socket?.receiver(datagram);
  }

  /** And sends the answers together. */
  #takeMany(fd: number, { receiver }: WatchedSocket): void {
    this.#isTogether = true;
    try {
      const count = this.#calls.receiveMany(fd, (datagram) => {
        this.#spend();
        receiver(datagram);
      });
      if (count === 0) this.#spend();
    } finally {
      this.#isTogether = false;
      this.#calls.flush();
    }
  }

  /** What is spent comes back when the event loop has gone round, not when the next socket of the same turn has its callback. */
  #spend(): void {
    this.#left -= 1;
    if (this.#left === 0) setImmediate(() => (this.#left = DATAGRAMS_AT_ONCE_MAX));
  }
}
