import { CLIENT_PORT } from '@tinkerbell/dhcp';
import {
  datagramAt,
  peerOf,
  type Udp,
  type UdpHandlers,
  type UdpSocket,
} from '@tinkerbell/platform-contract';
import { macFromBytes } from '@tinkerbell/wire';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import { SERVER_ADDRESS } from './addresses.ts';

/** What goes wrong with packets, each as a share from 0 to 1. */
export interface NetworkFaults {
  readonly loss: number;
  readonly duplication: number;
  /** The longest time that a packet takes, ms. A packet may overtake another one. */
  readonly delayMaxMs: number;
}

export interface Arrived {
  readonly bytes: Uint8Array;
  readonly fromPort: number;
  readonly toPort: number;
}

/** chaddr of a DHCP packet, RFC 2131 section 2. */
const HARDWARE_ADDRESS = { start: 28, end: 34 };
const BROADCAST = '255.255.255.255';
const FIRST_EPHEMERAL_PORT = 32_768;

/** One segment with the server and all machines. */
export class SimulatedNetwork {
  readonly #clock: SimulatedClock;
  readonly #random: SeededRandom;
  readonly #faults: NetworkFaults;
  readonly #deliver: (mac: string, arrived: Arrived) => void;
  readonly #owners = new Map<string, string>();
  readonly #sockets = new Map<number, UdpHandlers>();
  #nextPort = FIRST_EPHEMERAL_PORT;
  #packets = 0;

  constructor(parts: {
    readonly clock: SimulatedClock;
    readonly random: SeededRandom;
    readonly faults: NetworkFaults;
    /** Receives what arrives at a machine. */
    readonly deliver: (mac: string, arrived: Arrived) => void;
  }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#faults = parts.faults;
    this.#deliver = parts.deliver;
  }

  packets(): number {
    return this.#packets;
  }

  /** From now on packets to the address arrive at this machine. */
  own(address: string, mac: string): void {
    this.#owners.set(address, mac);
  }

  /** A machine without an address sends from 0.0.0.0. */
  fromMachine(address: string | undefined, { bytes, fromPort, toPort }: Arrived): void {
    const peer = peerOf(address ?? '0.0.0.0', fromPort);
    this.#transmit(() =>
      this.#sockets.get(toPort)?.onDatagram({ bytes: bytes.slice(), peer, networkInterface: 'net0' }),
    );
  }

  /** The server's sockets are gone, as when its process ends. */
  disconnectServer(): void {
    this.#sockets.clear();
  }

  readonly udp: Udp = {
    networkInterfaces: () => [],
    open: (options, handlers) => {
      const port = options.port === 0 ? this.#freePort() : options.port;
      this.#sockets.set(port, handlers);
      return Promise.resolve(this.#socketAt(port, handlers));
    },
  };

  #freePort(): number {
    do this.#nextPort = this.#nextPort >= 65_535 ? FIRST_EPHEMERAL_PORT : this.#nextPort + 1;
    while (this.#sockets.has(this.#nextPort));
    return this.#nextPort;
  }

  #socketAt(port: number, handlers: UdpHandlers): UdpSocket {
    const isOpen = (): boolean => this.#sockets.get(port) === handlers;
    const close = (): Promise<void> => {
      if (isOpen()) this.#sockets.delete(port);
      return Promise.resolve();
    };
    const send: UdpSocket['send'] = (bytes, to) => {
      if (isOpen()) this.#fromServer(bytes.slice(), { port, toAddress: to.address, toPort: to.port });
    };
    return {
      local: { address: SERVER_ADDRESS, port },
      send,
      sendRun(run, to) {
        for (let index = 0; index < run.count; index += 1) send(datagramAt(run, index), to);
      },
      sendToMac: () => false,
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  #fromServer(
    bytes: Uint8Array,
    {
      port,
      toAddress,
      toPort,
    }: { readonly port: number; readonly toAddress: string; readonly toPort: number },
  ): void {
    const isToAll = toAddress === BROADCAST && toPort === CLIENT_PORT;
    const named = bytes.slice(HARDWARE_ADDRESS.start, HARDWARE_ADDRESS.end);
    const mac = isToAll ? macFromBytes(named) : this.#owners.get(toAddress);
    if (mac !== undefined) this.#transmit(() => this.#deliver(mac, { bytes, fromPort: port, toPort }));
  }

  #transmit(arrive: () => void): void {
    this.#packets += 1;
    const copies = this.#random.happens(this.#faults.duplication) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1)
      if (!this.#random.happens(this.#faults.loss))
        this.#clock.schedule(this.#random.between(0.05, this.#faults.delayMaxMs), arrive);
  }
}
