/** Router discovery through a raw ICMPv6 socket. Linux only, with CAP_NET_RAW. */
import { PlatformError, type RouterDiscovery } from '@tinkerbell/platform-contract';
import { cLibrary, type CLibrary } from './c-library.ts';
import { noSuchInterface } from './no-such-interface.ts';
import { AF_INET6, SOCK_RAW_NONBLOCK_CLOEXEC, interfaceOption, optionValue } from './socket-numbers.ts';

const IPPROTO_IPV6 = 41;
const IPPROTO_ICMPV6 = 58;
const IPV6_MULTICAST_HOPS = 18;
const IPV6_MULTICAST_LOOP = 19;
const IPV6_JOIN_GROUP = 20;
const ICMP6_FILTER = 1;
const ENODEV = 19;
const EPERM = 1;

/** Receivers must drop forwarded messages (RFC 4861 section 6.1.2). */
const HOP_LIMIT = 255;
const ROUTER_SOLICITATION = 133;
/** Node has no events for this socket, so it is polled at this interval. A host waits seconds for its answer. */
const POLL_MS = 100;
const MESSAGES_PER_POLL = 64;
const MESSAGE_BYTES_MAX = 1500;

export const nodeRouterDiscovery: RouterDiscovery = {
  async open(networkInterface, onSolicitation) {
    const { library, fd, index } = await rawSocket(networkInterface);
    const buffer = new Uint8Array(MESSAGE_BYTES_MAX);
    const target = socketAddress(ALL_NODES, index);
    const poll = setInterval(() => {
      if (isSolicited(library, fd, buffer)) onSolicitation();
    }, POLL_MS);
    let isOpen = true;
    return {
      advertise: (message) => isOpen && library.sendTo(fd, { bytes: message, to: target }) === message.length,
      close() {
        if (!isOpen) return;
        isOpen = false;
        clearInterval(poll);
        library.close(fd);
      },
    };
  },
};

function isSolicited(library: CLibrary, fd: number, buffer: Uint8Array): boolean {
  let found = false;
  for (let count = 0; count < MESSAGES_PER_POLL; count++) {
    const length = library.receive(fd, buffer);
    if (length < 0) return found;
    // Type and code. The kernel has verified the checksum.
    if (length >= 8 && buffer[0] === ROUTER_SOLICITATION && buffer[1] === 0) found = true;
  }
  return found;
}

async function rawSocket(
  networkInterface: string,
): Promise<{ library: CLibrary; fd: number; index: number }> {
  if (process.platform !== 'linux') {
    throw new PlatformError('unavailable', `cannot open ICMPv6 on ${networkInterface}: only on Linux`);
  }
  const library = await cLibrary();
  const index = library.interfaceIndex(networkInterface);
  if (index === 0) throw failure(networkInterface, ENODEV);
  const fd = library.socket(AF_INET6, SOCK_RAW_NONBLOCK_CLOEXEC, IPPROTO_ICMPV6);
  if (fd < 0) throw failure(networkInterface, -fd);
  const settings = [
    interfaceOption(networkInterface),
    { level: IPPROTO_ICMPV6, name: ICMP6_FILTER, value: onlySolicitations() },
    { level: IPPROTO_IPV6, name: IPV6_MULTICAST_HOPS, value: optionValue(HOP_LIMIT) },
    // Ignores solicitations from this host.
    { level: IPPROTO_IPV6, name: IPV6_MULTICAST_LOOP, value: optionValue(0) },
    {
      level: IPPROTO_IPV6,
      name: IPV6_JOIN_GROUP,
      value: Uint8Array.of(...ALL_ROUTERS, ...optionValue(index)),
    },
  ];
  for (const setting of settings) {
    const result = library.setSocketOption(fd, setting);
    if (result >= 0) continue;
    library.close(fd);
    throw failure(networkInterface, -result);
  }
  return { library, fd, index };
}

const ALL_NODES = linkGroup(1);
const ALL_ROUTERS = linkGroup(2);

/** ff02::<number> */
function linkGroup(number: number): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes.set([0xff, 0x02]);
  bytes[15] = number;
  return bytes;
}

/** struct icmp6_filter: one bit for each type, set for blocked types. */
function onlySolicitations(): Uint8Array {
  const words = new Uint32Array(8).fill(0xffff_ffff);
  words[ROUTER_SOLICITATION >> 5] = ~(1 << (ROUTER_SOLICITATION & 31)) >>> 0;
  return new Uint8Array(words.buffer);
}

/** struct sockaddr_in6: family and scope in host order. */
function socketAddress(address: Uint8Array, index: number): Uint8Array {
  const bytes = new Uint8Array(28);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET6, true);
  bytes.set(address, 8);
  view.setUint32(24, index, true);
  return bytes;
}

function failure(networkInterface: string, errno: number): PlatformError {
  if (errno === ENODEV) return noSuchInterface(networkInterface);
  const where = `ICMPv6 on ${networkInterface}`;
  return errno === EPERM
    ? new PlatformError('permission-denied', `not allowed to open ${where}; run as root or grant CAP_NET_RAW`)
    : new PlatformError('unavailable', `cannot open ${where}: errno ${errno}`);
}
