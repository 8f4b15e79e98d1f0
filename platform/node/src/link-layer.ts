/** Accesses the link layer through a packet socket that holds no port. Linux only, with CAP_NET_RAW. */
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { PlatformError, type LinkLayer, type LinkLayerOptions } from '@tinkerbell/platform-contract';
import { cLibrary, type CLibrary } from './c-library.ts';
import { broadcastUdpFrame, ETHERTYPE_IPV4, readUdpFrame, udpPortFilter } from './ethernet-udp-frame.ts';
import { AF_PACKET, SOCK_RAW_NONBLOCK_CLOEXEC } from './socket-numbers.ts';

const ENODEV = 19;
const EPERM = 1;
/** The rest waits for the next turn. */
const FRAMES_PER_POLL = 64;
/** The largest DHCP packet over Ethernet. A jumbo frame is truncated and then rejected as a datagram. */
const FRAME_BYTES_MAX = 1600;

export const nodeLinkLayer: LinkLayer = {
  async open(options, onDatagram) {
    const { library, fd, address } = await packetSocket(options);
    const fromMac = await macOf(options.networkInterface);
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
  const view = new DataView(new ArrayBuffer(20));
  view.setUint16(0, AF_PACKET, true);
  view.setUint16(2, ETHERTYPE_IPV4);
  view.setInt32(4, index, true);
  return new Uint8Array(view.buffer);
}

/** `os.networkInterfaces` lists only those that have an IP address. */
async function macOf(networkInterface: string): Promise<string> {
  // /sys may belong to another network namespace (nsenter, ip netns without a mount). Then the kernel's own
  // list is used.
  const [first] = networkInterfaces()[networkInterface] ?? [];
  return first?.mac ?? (await readFile(`/sys/class/net/${networkInterface}/address`, 'latin1')).trim();
}

function failure(networkInterface: string, errno: number): PlatformError {
  if (errno === ENODEV)
    return new PlatformError('no-such-interface', `there is no network interface ${networkInterface}`);
  const where = `the link of ${networkInterface}`;
  return errno === EPERM
    ? new PlatformError('permission-denied', `not allowed to open ${where}; run as root or grant CAP_NET_RAW`)
    : new PlatformError('unavailable', `cannot open ${where}: errno ${errno}`);
}
