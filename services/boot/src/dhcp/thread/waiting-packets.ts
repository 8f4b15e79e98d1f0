import type { Clock } from '@tinkerbell/platform-contract';
import type { AnsweredPacket, PassedPacket } from './messages.ts';

type Packet = PassedPacket | AnsweredPacket;

/** Packets are processed for this time in one turn of the event loop. Then everything else has its turn. */
const TURN_MS = 1;

/** Processes the packets of the DHCP thread in their order. */
export class WaitingPackets {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly #process: (packet: Packet) => void;
  readonly #processed: (count: number) => void;
  readonly #batches: (readonly Packet[])[] = [];
  #next = 0;
  #isScheduled = false;

  /** `processed` receives the number of packets of a turn. */
  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'schedule'>,
    how: {
      readonly process: (packet: Packet) => void;
      readonly processed: (count: number) => void;
    },
  ) {
    this.#clock = clock;
    this.#process = how.process;
    this.#processed = how.processed;
  }

  add(packets: readonly Packet[]): void {
    this.#batches.push(packets);
    if (!this.#isScheduled) this.#turn();
  }

  /** However long it takes. */
  processAll(): void {
    this.#processUntil(Number.POSITIVE_INFINITY);
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#processUntil(this.#clock.monotonicMs() + TURN_MS);
  }

  #processUntil(endMs: number): void {
    let count = 0;
    for (let packet = this.#take(); packet !== undefined; packet = this.#take()) {
      this.#process(packet);
      count += 1;
      if (this.#clock.monotonicMs() < endMs) continue;
      this.#isScheduled = true;
      this.#clock.schedule(0, () => this.#turn());
      break;
    }
    this.#processed(count);
  }

  #take(): Packet | undefined {
    for (;;) {
      const [batch] = this.#batches;
      if (batch === undefined) return undefined;
      const packet = batch[this.#next];
      this.#next += 1;
      if (packet !== undefined) return packet;
      this.#batches.shift();
      this.#next = 0;
    }
  }
}
