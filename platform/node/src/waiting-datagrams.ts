import { datagramCalls, type DatagramCalls, type ReceivedDatagram } from './datagram-calls.ts';
import { createReadySockets, type ReadySockets } from './ready-sockets.ts';

/** Datagrams taken in one turn of the event loop, about 2 ms of work; then everything else has its turn. */
const DATAGRAMS_AT_ONCE_MAX = 256;

/** Calls of `take` that do not look, after so many that found nothing: one client alone never has a datagram waiting. */
const SKIPPED_MAX = 8;

type Receiver = (datagram: ReceivedDatagram) => void;

export interface DirectDatagrams {
  readonly calls: DatagramCalls;
  readonly waiting: WaitingDatagrams;
}

let loaded: Promise<DirectDatagrams | undefined> | undefined;

/** One for the whole program. Undefined where there is no Linux on 64 bits or no FFI. */
export function directDatagrams(): Promise<DirectDatagrams | undefined> {
  loaded ??= datagramCalls().then(async (calls) =>
    calls === undefined
      ? undefined
      : { calls, waiting: new WaitingDatagrams(calls, await createReadySockets()) },
  );
  return loaded;
}

/** What waits on the sockets of this program, handed out without a turn of the event loop for each datagram. */
export class WaitingDatagrams {
  readonly #calls: DatagramCalls;
  readonly #ready: ReadySockets;
  readonly #receivers = new Map<number, Receiver>();
  #left = DATAGRAMS_AT_ONCE_MAX;
  #toSkip = 0;
  #skipped = 0;

  constructor(calls: DatagramCalls, ready: ReadySockets) {
    this.#calls = calls;
    this.#ready = ready;
  }

  add(fd: number, receiver: Receiver): void {
    this.#receivers.set(fd, receiver);
    this.#ready.watch(fd);
  }

  /** Before the descriptor is closed: its number may soon be another socket's. */
  remove(fd: number): void {
    this.#receivers.delete(fd);
  }

  /**
   * One datagram of each socket in turn, so that a flood on one does not hold up the others, until nothing waits. Often it does
   * not even look, where that was in vain lately: what waits then comes from the event loop, at its price.
   */
  take(): void {
    if (this.#skipped < this.#toSkip) {
      this.#skipped += 1;
      return;
    }
    const isFound = this.#left > 0 && this.#takeAll();
    this.#toSkip = isFound ? 0 : Math.min(SKIPPED_MAX, this.#toSkip * 2 + 1);
    this.#skipped = 0;
  }

  #takeAll(): boolean {
    let isFound = false;
    while (this.#left > 0) {
      const count = this.#ready.look();
      if (count === 0) break;
      isFound = true;
      for (let index = 0; index < count && this.#left > 0; index += 1)
        this.#takeFrom(this.#ready.fdAt(index), count === 1 ? this.#left : 1);
    }
    return isFound;
  }

  #takeFrom(fd: number, most: number): void {
    for (let count = 0; count < most; count += 1) {
      // Before the receiver is called: it may throw.
      this.#spend();
      const receiver = this.#receivers.get(fd);
      const datagram = receiver === undefined ? undefined : this.#calls.receive(fd);
      if (datagram === undefined) return;
      receiver?.(datagram);
    }
  }

  /** What is spent comes back when the event loop has gone round, not when the next socket of the same turn has its callback. */
  #spend(): void {
    this.#left -= 1;
    if (this.#left === 0) setImmediate(() => (this.#left = DATAGRAMS_AT_ONCE_MAX));
  }
}
