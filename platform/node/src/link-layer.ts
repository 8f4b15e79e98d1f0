/** Accesses the link layer through a packet socket that holds no port. Linux only, with CAP_NET_RAW. */
import { PlatformError, type LinkLayer, type LinkLayerOptions } from '@tinkerbell/platform-contract';
import { cLibrary, type CLibrary } from './c-library.ts';
import { noSuchInterface } from './no-such-interface.ts';
import { broadcastUdpFrame, ETHERTYPE_IPV4, readUdpFrame, udpPortFilter } from './ethernet-udp-frame.ts';
import { AF_PACKET, SOCK_RAW_NONBLOCK_CLOEXEC } from './socket-numbers.ts';

const ENODEV = 19;
const EPERM = 1;
/** struct sockaddr_ll, in which the MAC comes behind 12 bytes. */
const LINK_ADDRESS_BYTES = 20;
const MAC_OFFSET = 12;
const MAC_BYTES = 6;
/** The rest waits for the next turn. */
const FRAMES_PER_POLL = 64;
/** The largest DHCP packet over Ethernet. A jumbo frame is truncated and then rejected as a datagram. */
const FRAME_BYTES_MAX = 1600;

export const nodeLinkLayer: LinkLayer = {
  async open(options, onDatagram) {
    const { library, fd, address } = await packetSocket(options);
    const fromMac = macOf(library, fd);
    const buffer = new Uint8Array(FRAME_BYTES_MAX);
    const state = { isOpen: true };
    // Node has no events for a packet socket, so it is polled.
    const poll = setInterval(() => {
      for (let count = 0; count < FRAMES_PER_POLL && state.isOpen; count++) {
        const length = library.receive(fd, buffer);
        if (length < 0) return;
        const datagram = readUdpFrame(buffer.subarray(0, length));
        if (datagram !== undefined) onDatagram(datagram);
      }
    }, options.pollMs);
    return {
      broadcast(payload, ports) {
        if (!state.isOpen) return false;
        const from = { address: '0.0.0.0', port: ports.from };
        const to = { address: '255.255.255.255', port: ports.to };
        const bytes = broadcastUdpFrame(payload, { fromMac, from, to });
        return library.sendTo(fd, { bytes, to: address }) === bytes.length;
      },
      close() {
        if (!state.isOpen) return;
        state.isOpen = false;
        clearInterval(poll);
        library.close(fd);
      },
    };
  },
};

async function packetSocket({
  networkInterface,
  ports,
}: LinkLayerOptions): Promise<{ library: CLibrary; fd: number; address: Uint8Array }> {
  if (process.platform !== 'linux') {
    throw new PlatformError('unavailable', `cannot open the link of ${networkInterface}: only on Linux`);
  }
  const library = await cLibrary();
  const index = library.interfaceIndex(networkInterface);
  if (index === 0) throw failure(networkInterface, ENODEV);
  // The socket has no protocol yet, so that nothing arrives before the filter is attached.
  const fd = library.socket(AF_PACKET, SOCK_RAW_NONBLOCK_CLOEXEC, 0);
  if (fd < 0) throw failure(networkInterface, -fd);
  const address = linkAddress(index);
  const filtered = library.attachProgram(fd, 'filter', udpPortFilter(ports));
  const result = filtered < 0 ? filtered : library.bind(fd, address);
  if (result >= 0) return { library, fd, address };
  library.close(fd);
  throw failure(networkInterface, -result);
}

/** struct sockaddr_ll: family in host order, protocol in network order, index in host order. */
function linkAddress(index: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(LINK_ADDRESS_BYTES));
  view.setUint16(0, AF_PACKET, true);
  view.setUint16(2, ETHERTYPE_IPV4);
  view.setInt32(4, index, true);
  return new Uint8Array(view.buffer);
}

/**
 * A bound packet socket knows the MAC of its interface (packet(7), sll_halen and sll_addr). `os.networkInterfaces` lists only
 * interfaces with a carrier and an IP address, and /sys may show another network namespace (nsenter).
 */
function macOf(library: CLibrary, fd: number): string {
  const address = new Uint8Array(LINK_ADDRESS_BYTES);
  const result = library.addressOf(fd, address);
  if (result < 0) throw new PlatformError('unavailable', `cannot read the MAC of a link: errno ${-result}`);
  const bytes = address.subarray(MAC_OFFSET, MAC_OFFSET + MAC_BYTES);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

function failure(networkInterface: string, errno: number): PlatformError {
  if (errno === ENODEV) return noSuchInterface(networkInterface);
  const where = `the link of ${networkInterface}`;
  return errno === EPERM
    ? new PlatformError('permission-denied', `not allowed to open ${where}; run as root or grant CAP_NET_RAW`)
    : new PlatformError('unavailable', `cannot open ${where}: errno ${errno}`);
}
