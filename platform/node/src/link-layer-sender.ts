/**
 * Sends UDP to a MAC without ARP: a host that is about to get its address cannot answer ARP for it yet (RFC 2131 section 4.1).
 * The kernel has no UDP socket for that, so whole IPv4 packets are sent through a packet socket. Linux only.
 */
import { networkInterfaces } from 'node:os';
import type { UdpAddress } from '@tinkerbell/platform-contract';
import type { CLibrary } from './c-library.ts';
import { IPV4_UDP_HEADER_BYTES, writeIpv4UdpPacket } from './ipv4-udp-packet.ts';
import { AF_PACKET, SOCK_DGRAM_NONBLOCK_CLOEXEC } from './socket-numbers.ts';

const ETHERTYPE_IPV4 = 0x0800;
const MAC_BYTES = 6;
/**
 * The Ethernet limit for unfragmented packets, because fragments are not supported here. No client needs a jumbo frame as its
 * first one.
 */
const PACKET_BYTES_MAX = 1500;
/** Addresses of network interfaces change rarely, and querying the kernel for all of them costs more than a reply. */
const ADDRESS_KEPT_MS = 1000;

export class LinkLayerSender {
  readonly #library: CLibrary;
  readonly #networkInterface: string;
  readonly #packet = new Uint8Array(PACKET_BYTES_MAX);
  #fd: number | undefined;
  #source: { readonly address: string | undefined; readonly readAtMs: number } | undefined;

  constructor(library: CLibrary, networkInterface: string) {
    this.#library = library;
    this.#networkInterface = networkInterface;
  }

  /**
   * Sends one frame to `mac`. Returns false when nothing was sent: the process may not use packet sockets (CAP_NET_RAW), there is
   * no address to send from, the payload exceeds 1472 bytes, or the network interface is gone or down.
   */
  send(payload: Uint8Array, { from, to, mac }: { from: UdpAddress; to: UdpAddress; mac: string }): boolean {
    if (payload.length + IPV4_UDP_HEADER_BYTES > PACKET_BYTES_MAX) return false;
    const address = from.address === '0.0.0.0' ? this.#ownAddress() : from.address;
    if (address === undefined) return false;
    this.#fd ??= this.#library.socket(AF_PACKET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0);
    if (this.#fd < 0) return false;
    const destination = this.#frameAddress(mac);
    if (destination === undefined) return false;
    const sender = { address, port: from.port };
    const length = writeIpv4UdpPacket(this.#packet, { from: sender, to, payload });
    const message = { bytes: this.#packet.subarray(0, length), to: destination };
    return this.#library.sendTo(this.#fd, message) === length;
  }

  close(): void {
    if (this.#fd !== undefined && this.#fd >= 0) this.#library.close(this.#fd);
    this.#fd = undefined;
  }

  /** struct sockaddr_ll: family in host order, protocol in network order, index and length in host order, then the MAC. */
  #frameAddress(mac: string): Uint8Array | undefined {
    const octets = mac.split(':').map((octet) => Number.parseInt(octet, 16));
    // Queried each time, because a recreated network interface has another index.
    const index = this.#library.interfaceIndex(this.#networkInterface);
    if (octets.length !== MAC_BYTES || index === 0) return undefined;
    const bytes = new Uint8Array(20);
    const view = new DataView(bytes.buffer);
    view.setUint16(0, AF_PACKET, true);
    view.setUint16(2, ETHERTYPE_IPV4);
    view.setInt32(4, index, true);
    view.setUint8(11, MAC_BYTES);
    bytes.set(octets, 12);
    return bytes;
  }

  #ownAddress(): string | undefined {
    const now = performance.now();
    if (this.#source === undefined || now - this.#source.readAtMs > ADDRESS_KEPT_MS) {
      const all = networkInterfaces()[this.#networkInterface] ?? [];
      this.#source = { address: all.find(({ family }) => family === 'IPv4')?.address, readAtMs: now };
    }
    return this.#source.address;
  }
}
