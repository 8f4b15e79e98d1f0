/** The relay agent of a fleet: all machines speak to the DHCP server through it, so that they need no network of their own. */
import { SERVER_PORT } from '@tinkerbell/dhcp';
import type { Udp, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { bytesToHex } from '@tinkerbell/wire';

/** Of a packet, RFC 2131 section 2. */
const HOPS_AT = 3;
const RELAY_AT = 24;
const HARDWARE_ADDRESS = { start: 28, end: 34 };

type Take = (bytes: Uint8Array) => void;

export class FleetRelay implements AsyncDisposable {
  readonly #address: string;
  readonly #server: UdpAddress;
  readonly #machines = new Map<string, Take>();
  #socket: UdpSocket | undefined;

  private constructor(address: string, server: UdpAddress) {
    this.#address = address;
    this.#server = server;
  }

  /** Rejects with a PlatformError when the port cannot be opened. It is a port that only root may open. */
  static async open(udp: Udp, address: string, server: UdpAddress): Promise<FleetRelay> {
    const relay = new FleetRelay(address, server);
    relay.#socket = await udp.open(
      { address, port: SERVER_PORT },
      // A server without DHCP answers with ICMP. The machines notice that nothing arrives.
      { onDatagram: ({ bytes }) => relay.#deliver(bytes), onError: () => undefined },
    );
    return relay;
  }

  /** `take` receives the replies for this MAC. Their bytes are valid during the call. */
  attach(mac: string, take: Take): void {
    this.#machines.set(mac.replaceAll(':', ''), take);
  }

  detach(mac: string): void {
    this.#machines.delete(mac.replaceAll(':', ''));
  }

  /** Sends a client's packet to the server, as RFC 1542 section 4.1.1 describes. */
  forward(packet: Uint8Array): void {
    const bytes = packet.slice();
    bytes[HOPS_AT] = 1;
    bytes.set(this.#address.split('.').map(Number), RELAY_AT);
    this.#socket?.send(bytes, this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#socket?.close();
  }

  #deliver(bytes: Uint8Array): void {
    if (bytes.length < HARDWARE_ADDRESS.end) return;
    const mac = bytesToHex(bytes.subarray(HARDWARE_ADDRESS.start, HARDWARE_ADDRESS.end));
    this.#machines.get(mac)?.(bytes);
  }
}
