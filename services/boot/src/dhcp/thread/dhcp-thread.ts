/** Keeps the DHCP thread running, and processes on the main thread what it reports. */
import type { NetbootSettings, ReservationResult } from '@tinkerbell/netboot';
import { PlatformError, type Clock, type Log } from '@tinkerbell/platform-contract';
import type { View } from '@tinkerbell/store-contract';
import type { DhcpConfig } from '../dhcp-config.ts';
import type { OnDhcp } from '../listener.ts';
import { countPackets, recordAnswered, type AnsweredDeps } from './answered-packets.ts';
import type { AnsweredPacket, ClonedFailure, DhcpOrder, DhcpReport, PassedPacket } from './messages.ts';
import { passedDatagram, passedEntrance } from './passed-packet.ts';
import type { StartDhcpThread, StartedThread } from './start-thread.ts';
import { SentBinaries } from './sent-binaries.ts';
import { SentReservations } from './sent-reservations.ts';
import { WaitingPackets } from './waiting-packets.ts';

export interface DhcpThreadDeps extends AnsweredDeps {
  readonly startThread: StartDhcpThread;
  readonly clock: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly log: Log;
  readonly view: View;
}

export interface DhcpThreadConfig {
  readonly dhcp: DhcpConfig;
  readonly netboot: NetbootSettings;
}

const RESTART_MS = 1_000;

export class DhcpThread {
  readonly #deps: DhcpThreadDeps;
  readonly #config: DhcpThreadConfig;
  readonly #started = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #packets: WaitingPackets;
  #onDhcp: OnDhcp = () => undefined;
  #thread: StartedThread | undefined;
  #reservations: SentReservations | undefined;
  #binaries: SentBinaries | undefined;
  #cancelRestart = (): void => undefined;
  #isStopping = false;
  #isRunning = false;
  #hasStarted = false;

  constructor(deps: DhcpThreadDeps, config: DhcpThreadConfig) {
    this.#deps = deps;
    this.#config = config;
    this.#packets = new WaitingPackets(deps.clock, {
      process: (packet) => this.#process(packet),
      processed: (count) => this.#thread?.order({ kind: 'processed', count }),
    });
  }

  /** Resolves when the sockets are open. Rejects with the platform's error when they cannot be opened. */
  start(onDhcp: OnDhcp): Promise<void> {
    this.#onDhcp = onDhcp;
    this.#begin();
    return this.#started.promise;
  }

  /** False while the thread starts again after a failure. */
  isRunning(): boolean {
    return this.#isRunning;
  }

  /** The settings for the main thread, with which the DHCP thread learns what they answer. */
  settings(): NetbootSettings {
    return {
      ...this.#config.netboot,
      lacksBinary: (name, protocol) => this.#binaries?.lacks({ name, protocol }) ?? false,
    };
  }

  /** A machine has asked, and has this reservation. */
  reserved(result: ReservationResult): void {
    this.#reservations?.send(result);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#isRunning = false;
    this.#cancelRestart();
    this.#reservations?.stop();
    if (this.#thread === undefined) return;
    this.#thread.order({ kind: 'stop' });
    await this.#stopped.promise;
    await this.#thread.end();
  }

  /** A new thread knows nothing. */
  #begin(): void {
    const { startThread, view, clock } = this.#deps;
    const { dhcp, netboot } = this.#config;
    const { lacksBinary = () => false, ...cloned } = netboot;
    const thread = startThread({
      report: (report) => this.#take(report),
      ended: (error) => this.#ended(error),
    });
    const order = (one: DhcpOrder): void => thread.order(one);
    this.#thread = thread;
    this.#reservations = new SentReservations({ view, clock, order });
    this.#binaries = new SentBinaries(lacksBinary, order);
    order({ kind: 'start', dhcp, netboot: cloned });
  }

  #ended(error: Error): void {
    this.#isRunning = false;
    this.#thread = undefined;
    this.#reservations?.stop();
    if (this.#isStopping) return this.#stopped.resolve();
    this.#deps.log.error('the DHCP thread ended, and is started again', { error: error.message });
    this.#cancelRestart = this.#deps.clock.schedule(RESTART_MS, () => this.#begin());
  }

  #take(report: DhcpReport): void {
    switch (report.kind) {
      case 'started':
        this.#isRunning = true;
        this.#hasStarted = true;
        return this.#started.resolve();
      case 'failed':
        return this.#failed(report.failure);
      case 'socket-error':
        return this.#deps.log.warn('DHCP socket error', { error: report.message });
      case 'packets':
        return this.#packets.add(report.packets);
      case 'counted':
        return countPackets(this.#deps, report);
      case 'binary-used':
        return void this.#binaries?.lacks(report.binary);
      case 'stopped':
        // The records of the last answers. A journal that closes after this service has them.
        this.#packets.processAll();
        return this.#stopped.resolve();
      default:
        return report satisfies never;
    }
  }

  #failed({ code, message, port }: ClonedFailure): void {
    const error = new PlatformError(code, message, port === undefined ? {} : { port });
    void this.#thread?.end();
    if (this.#hasStarted) return this.#ended(error);
    this.#thread = undefined;
    this.#started.reject(error);
  }

  #process(packet: PassedPacket | AnsweredPacket): void {
    if ('reply' in packet) return recordAnswered(this.#deps, this.#config.netboot, packet);
    const datagram = passedDatagram(packet);
    if (packet.isTooMany) return this.#deps.timeline.tooMany(datagram);
    this.#onDhcp(
      datagram,
      passedEntrance(packet, (order) => this.#thread?.order(order)),
    );
  }
}
