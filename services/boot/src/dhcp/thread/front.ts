import { decodePacket } from '@tinkerbell/dhcp';
import {
  classifyClient,
  replyTo,
  type Arrival,
  type NetbootSettings,
  type Reservation,
} from '@tinkerbell/netboot';
import {
  PlatformError,
  type Clock,
  type Datagram,
  type Udp,
  type UdpSocket,
} from '@tinkerbell/platform-contract';
import { macFromBytes, type Mac } from '@tinkerbell/wire';
import { RateGate } from '../../rate-gate.ts';
import { createClientLimit, HARDWARE_ADDRESS_OFFSET } from '../client-limit.ts';
import { sendByFrame, sendReply, sendTo, type DhcpEntrance } from '../reply-sender.ts';
import { openDhcpSockets } from '../sockets.ts';
import { IGNORED_GATE, REPLIED_GATE } from '../timeline-gates.ts';
import { KnownBinaries } from './known-binaries.ts';
import { KnownReservations } from './known-reservations.ts';
import type { AnsweredPacket, DhcpOrder, DhcpReport } from './messages.ts';
import { Outbox } from './outbox.ts';
import { RepeatedAnswers, type AnswerFacts } from './repeated-answers.ts';

export interface DhcpFrontDeps {
  readonly udp: Udp;
  readonly clock: Clock;
  readonly report: (report: DhcpReport) => void;
}

/**
 * The DHCP thread: it owns the sockets, and answers machines whose reservation the main thread has sent it. Everything else it passes
 * on. Whatever the main thread does meanwhile, known machines get their answers at once. Returns the receiver of orders.
 */
export function createDhcpFront(deps: DhcpFrontDeps): (order: DhcpOrder) => void {
  const front = new DhcpFront(deps);
  return (order) => front.take(order);
}

class DhcpFront {
  readonly #deps: DhcpFrontDeps;
  readonly #outbox: Outbox;
  readonly #binaries: KnownBinaries;
  readonly #reservations = new KnownReservations();
  readonly #repeated = new RepeatedAnswers();
  readonly #sockets: UdpSocket[] = [];
  readonly #mayAsk;
  readonly #tooManyGate: RateGate;
  readonly #repliedGate: RateGate;

  constructor(deps: DhcpFrontDeps) {
    const { clock, report } = deps;
    this.#deps = deps;
    this.#outbox = new Outbox(deps);
    this.#binaries = new KnownBinaries(clock, (binary) => report({ kind: 'binary-used', binary }));
    this.#mayAsk = createClientLimit(clock);
    this.#tooManyGate = new RateGate(clock, IGNORED_GATE);
    this.#repliedGate = new RateGate(clock, REPLIED_GATE);
  }

  take(order: DhcpOrder): void {
    switch (order.kind) {
      case 'start':
        return void this.#start(order);
      case 'know':
        return order.reservations.forEach((reservation) => this.#know(reservation));
      case 'forget':
        return order.macs.forEach((mac) => this.#forget(mac));
      case 'binary':
        return this.#binaries.know(order.binary, order.isMissing);
      case 'send':
        return this.#send(order);
      case 'processed':
        return this.#outbox.processed(order.count);
      case 'stop':
        return void this.#stop();
      default:
        return order satisfies never;
    }
  }

  async #start({ dhcp, netboot }: Extract<DhcpOrder, { kind: 'start' }>): Promise<void> {
    const { report } = this.#deps;
    const settings: NetbootSettings = { ...netboot, lacksBinary: this.#binaries.lacks };
    const onDhcp = (datagram: Datagram, entrance: DhcpEntrance) => this.#onDhcp(datagram, entrance, settings);
    try {
      const onSocketError = (message: string) => report({ kind: 'socket-error', message });
      const deps = { ...this.#deps, onSocketError, coalesces: true };
      await openDhcpSockets(deps, { dhcp, netboot: settings }, { onDhcp, sockets: this.#sockets });
      report({ kind: 'started' });
    } catch (thrown) {
      if (!(thrown instanceof PlatformError)) throw thrown;
      const { code, message, port } = thrown;
      report({ kind: 'failed', failure: { code, message, ...(port === undefined ? {} : { port }) } });
    }
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#sockets.map((socket) => socket.close()));
    this.#outbox.sendAll();
    this.#deps.report({ kind: 'stopped' });
  }

  #know(reservation: Reservation): void {
    this.#repeated.forget(reservation.mac);
    this.#reservations.set(reservation);
  }

  #forget(mac: Mac): void {
    this.#repeated.forget(mac);
    this.#reservations.delete(mac);
  }

  #onDhcp(datagram: Datagram, entrance: DhcpEntrance, settings: NetbootSettings): void {
    const mayAsk = this.#mayAsk(datagram.bytes);
    if (mayAsk && this.#repeat(datagram.bytes, entrance)) return;
    const mac = macFromBytes(datagram.bytes.subarray(HARDWARE_ADDRESS_OFFSET));
    if (!mayAsk) {
      if (!this.#tooManyGate.passes(`${mac}`)) return this.#outbox.countTooMany();
      return this.#pass(datagram, entrance, true);
    }
    const reservation = mac === undefined ? undefined : this.#reservations.get(mac);
    if (reservation !== undefined && this.#answer(datagram, { entrance, settings, reservation })) return;
    this.#pass(datagram, entrance, false);
  }

  #pass(datagram: Datagram, { arrival, socket }: DhcpEntrance, isTooMany: boolean): void {
    this.#outbox.pass(datagram, {
      arrival,
      socket: this.#sockets.findIndex((one) => one === socket),
      isTooMany,
    });
  }

  /** Returns false when the machine did not ask the same before. */
  #repeat(bytes: Uint8Array, { arrival, socket }: DhcpEntrance): boolean {
    const answer = isRepeatable(arrival) ? this.#repeated.find(bytes) : undefined;
    if (answer === undefined || !this.#binaries.areStill(answer.kind.facts.binaries)) return false;
    const { facts } = answer.kind;
    const reply = this.#repeated.bytesFor(bytes, answer);
    sendTo(socket, reply, facts.destination);
    this.#record({ bytes, reply, droppedOptions: NONE }, facts);
    return true;
  }

  /** Returns false when nothing was sent: the main thread decides, and reports why. */
  #answer(
    { bytes, peer }: Datagram,
    {
      entrance,
      settings,
      reservation,
    }: {
      readonly entrance: DhcpEntrance;
      readonly settings: NetbootSettings;
      readonly reservation: Reservation;
    },
  ): boolean {
    const decoded = decodePacket(bytes);
    if (!decoded.ok) return false;
    const request = decoded.value;
    const client = classifyClient(request);
    if (client.mac !== reservation.mac) return false;

    const { arrival } = entrance;
    this.#binaries.begin();
    const decision = replyTo({
      request,
      client,
      reservation: { ok: true, value: reservation },
      settings,
      arrival,
    });
    if (decision.kind !== 'reply' || this.#binaries.isUnsure()) return false;

    const { reply } = decision;
    const sent = sendReply(entrance, { request, reply, peer });
    if (sent.kind !== 'sent') return false;

    const { messageType: replyType, bootFileName } = reply.options;
    const { droppedOptions, destination } = sent;
    const facts: AnswerFacts = {
      destination,
      requestType: request.options.messageType,
      replyType,
      file: reply.bootFile || bootFileName,
      binaries: this.#binaries.asked(),
    };
    if (droppedOptions.length === 0 && isRepeatable(arrival)) this.#repeated.keep(bytes, sent.bytes, facts);
    this.#record({ bytes, reply: sent.bytes, droppedOptions }, facts);
    return true;
  }

  #record(answered: AnsweredPacket, facts: AnswerFacts): void {
    if (answered.droppedOptions.length > 0 || this.#isWritten(answered, facts))
      this.#outbox.answered(answered);
    else this.#outbox.countAnswered(facts.requestType, facts.replyType);
  }

  #isWritten({ bytes }: AnsweredPacket, { replyType, file }: AnswerFacts): boolean {
    if (this.#repliedGate.isShut()) return false;
    const mac = macFromBytes(bytes.subarray(HARDWARE_ADDRESS_OFFSET));
    return this.#repliedGate.passes(`${mac} ${replyType} ${file}`);
  }

  #send({ socket: index, bytes, to, mac }: Extract<DhcpOrder, { kind: 'send' }>): void {
    const socket = this.#sockets[index];
    if (socket === undefined) return;
    if (mac === undefined) socket.send(bytes, to);
    else sendByFrame(socket, bytes, { ...to, mac });
  }
}

const NONE: readonly number[] = [];

/** Then the answer depends on the packet alone, not on who sent it or through which network interface it came. */
function isRepeatable({ port, localAddresses }: Arrival): boolean {
  return port === 'dhcp' && localAddresses.length === 0;
}
