import type { Clock, Datagram } from '@tinkerbell/platform-contract';
import type { AnsweredCount, AnsweredPacket, DhcpReport, PassedPacket } from './messages.ts';

/** At 5,000 packets a second, the main thread has them processed within half a second. */
const UNPROCESSED_MAX = 2_048;
const COUNTED_EVERY_MS = 100;
/** Each message between threads wakes both, and the records of a flood come one by one. */
const ANSWERED_COLLECTED_MS = 20;

type Counted = { -readonly [Key in keyof AnsweredCount]: AnsweredCount[Key] };

interface Deps {
  readonly clock: Pick<Clock, 'schedule'>;
  report(report: DhcpReport): void;
}

/**
 * Collects what the DHCP thread sends the main thread: packets that need its answer at the end of the batch that they came in, and
 * records and counts later.
 */
export class Outbox {
  readonly #deps: Deps;
  #packets: (PassedPacket | AnsweredPacket)[] = [];
  #isLeaving = false;
  #cancelLater: (() => void) | undefined;
  #counts = noCounts();
  #hasCounts = false;
  /** Packets that the main thread has not processed. */
  #sentCount = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  pass(
    { bytes, peer, networkInterface }: Datagram,
    how: Omit<PassedPacket, 'bytes' | 'peer' | 'networkInterface'>,
  ) {
    if (this.#sentCount >= UNPROCESSED_MAX) return this.#countBusy();
    const { address, port } = peer;
    this.#put({ bytes: bytes.slice(), peer: { address, port }, networkInterface, ...how });
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    queueMicrotask(() => this.#sendPackets());
  }

  processed(count: number): void {
    this.#sentCount -= count;
  }

  answered({ bytes, reply, droppedOptions }: AnsweredPacket): void {
    this.#put({ bytes: bytes.slice(), reply: reply.slice(), droppedOptions });
    this.#cancelLater ??= this.#deps.clock.schedule(ANSWERED_COLLECTED_MS, () => this.#sendPackets());
  }

  /** An answer that no timeline needs, by the message types of request and reply. */
  countAnswered(requestType: number | undefined, replyType: number | undefined): void {
    this.#willSendCounts();
    for (const counted of this.#counts.answered)
      if (counted.requestType === requestType && counted.replyType === replyType)
        return void (counted.count += 1);
    this.#counts.answered.push({ requestType, replyType, count: 1 });
  }

  countTooMany(): void {
    this.#willSendCounts();
    this.#counts.tooMany += 1;
  }

  /** The thread ends. */
  sendAll(): void {
    if (this.#packets.length > 0) this.#sendPackets();
    if (this.#hasCounts) this.#sendCounts();
  }

  #countBusy(): void {
    this.#willSendCounts();
    this.#counts.busy += 1;
  }

  #put(packet: PassedPacket | AnsweredPacket): void {
    this.#sentCount += 1;
    this.#packets.push(packet);
  }

  #sendPackets(): void {
    const packets = this.#packets;
    this.#packets = [];
    this.#isLeaving = false;
    this.#cancelLater?.();
    this.#cancelLater = undefined;
    this.#deps.report({ kind: 'packets', packets });
  }

  #willSendCounts(): void {
    if (this.#hasCounts) return;
    this.#hasCounts = true;
    this.#deps.clock.schedule(COUNTED_EVERY_MS, () => this.#sendCounts());
  }

  #sendCounts(): void {
    const counts = this.#counts;
    this.#counts = noCounts();
    this.#hasCounts = false;
    this.#deps.report({ kind: 'counted', ...counts });
  }
}

function noCounts() {
  return { answered: [] as Counted[], tooMany: 0, busy: 0 };
}
