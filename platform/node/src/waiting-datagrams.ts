import { datagramCalls, type DatagramCalls } from './datagram-calls.ts';
import type { OutgoingDatagrams, ReceivedDatagram } from './datagram-structures.ts';
import { KeptDatagrams } from './kept-datagrams.ts';
import { createReadySockets, type ReadySockets } from './ready-sockets.ts';

/** How long datagrams are taken in one turn of the event loop; then everything else has its turn. */
const TURN_MS = 4;
/** At the end of a turn: looks for what waits, and how many of them in vain. Answers to what was just sent are on their way. */
const LAST_LOOKS_MAX = 64;
const LAST_LOOKS_IN_VAIN_MAX = 16;

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
  readonly #nowMs: () => number;
  /** Undefined until something is taken in this turn. */
  #turnEndsMs: number | undefined;
  #toSkip = 0;
  #skipped = 0;
  /** Answers are kept until they can be sent by one call. */
  #isTogether = false;
  /** Found again by the next look, a socket has more than one datagram. */
  #foundLast = -1;
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
    do {
      const count = this.#ready.look();
      if (count === 0) {
        this.#foundLast = -1;
        nowMs = this.#nowMs();
        if (nowMs >= untilMs) break;
        continue;
      }
      if (!isFound) this.#beginTurn(startMs);
      isFound = true;
      let awakeMs = 0;
      for (let index = 0; index < count; index += 1) {
        const fd = this.#ready.fdAt(index);
        this.#takeFrom(fd);
        awakeMs = Math.max(awakeMs, this.#awakeMs(fd));
      }
      nowMs = this.#nowMs();
      untilMs = Math.min(startMs + AWAKE_MS_MAX, nowMs + awakeMs);
    } while (nowMs < (this.#turnEndsMs ?? untilMs));
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

  #takeFrom(fd: number): void {
    const socket = this.#sockets.get(fd);
    const isCrowded = this.#foundLast === fd;
    this.#foundLast = fd;
    if (socket !== undefined && isCrowded) return this.#takeMany(fd, socket);
    const datagram = socket === undefined ? undefined : this.#calls.receive(fd);
    if (datagram !== undefined) socket?.receiver(datagram);
  }

  /** And sends the answers together. */
  #takeMany(fd: number, { receiver }: WatchedSocket): void {
    this.#together(() => this.#calls.receiveMany(fd, receiver));
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
