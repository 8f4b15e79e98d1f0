/** The socket of a machine's TFTP transfer. It is open as long as the transfer. */
import type { UdpSocket } from '@tinkerbell/platform-contract';
import { TFTP_CLIENT_PORT } from '../machine/netboot.ts';
import type { FleetWorld } from './fleet-world.ts';

/** Well-known, and what the model sends to. The server may use another one. */
const TFTP_PORT = 69;
/** The last acknowledgement is sent before the socket is closed. */
const LINGER_MS = 50;

type Take = (bytes: Uint8Array, fromPort: number, toPort: number) => void;

export class TftpPort {
  readonly #address: string;
  readonly #world: Pick<FleetWorld, 'udp' | 'options' | 'clock'>;
  readonly #take: Take;
  #socket: Promise<UdpSocket> | undefined;

  constructor(address: string, world: Pick<FleetWorld, 'udp' | 'options' | 'clock'>, take: Take) {
    this.#address = address;
    this.#world = world;
    this.#take = take;
  }

  send(bytes: Uint8Array, toPort: number): void {
    const { address, tftpPort } = this.#world.options.bootServer;
    const port = toPort === TFTP_PORT ? tftpPort : toPort;
    this.#socket ??= this.#open();
    void this.#socket.then((socket) => socket.send(bytes, { address, port })).catch(() => undefined);
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    this.#world.clock.schedule(
      LINGER_MS,
      () => void socket.then((one) => one.close()).catch(() => undefined),
    );
  }

  #open(): Promise<UdpSocket> {
    // The model receives its transfers at one port, whatever the port is here.
    const onDatagram = ({ bytes, peer }: { bytes: Uint8Array; peer: { port: number } }): void =>
      this.#take(bytes, peer.port, TFTP_CLIENT_PORT);
    return this.#world.udp.open(
      { address: this.#address, port: 0 },
      // A server without TFTP answers with ICMP. The machine notices that nothing arrives.
      { onDatagram, onError: () => undefined },
    );
  }
}
