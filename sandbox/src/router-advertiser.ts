/**
 * Acts as the rack's IPv6 router (RFC 4861 section 4.2) and announces that there is no router, no address,
 * and nothing to request. Otherwise an old iPXE waits 15 s for a router after it has its IPv4 address.
 */

const AF_INET6 = 10;
const SOCK_RAW = 3;
const IPPROTO_IPV6 = 41;
const IPPROTO_ICMPV6 = 58;
const IPV6_MULTICAST_HOPS = 18;
const INTERVAL_MS = 500;

/** Receivers must refuse forwarded messages (RFC 4861 section 6.1.2). */
const HOP_LIMIT = 255;
const TYPE_ROUTER_ADVERTISEMENT = 134;
const ADVERTISEMENT_BYTES = 16;

/** Sends an advertisement on a network interface twice a second. Returns the function that ends it. */
export function startRouterAdvertiser(networkInterface: string): () => void {
  const { functions } = process.getBuiltinModule('node:ffi').dlopen(null, {
    socket: { return: 'i32', arguments: ['i32', 'i32', 'i32'] },
    setsockopt: { return: 'i32', arguments: ['i32', 'i32', 'i32', 'buffer', 'u32'] },
    sendto: { return: 'i64', arguments: ['i32', 'buffer', 'u64', 'i32', 'buffer', 'u32'] },
    if_nametoindex: { return: 'u32', arguments: ['string'] },
    close: { return: 'i32', arguments: ['i32'] },
  });
  const descriptor = functions.socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
  if (descriptor < 0) throw new Error('cannot open a raw socket: needs root (CAP_NET_RAW)');
  const hops = int32(HOP_LIMIT);
  functions.setsockopt(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, hops, hops.length);
  const target = allNodes(functions.if_nametoindex(networkInterface));
  const message = Buffer.alloc(ADVERTISEMENT_BYTES);
  message[0] = TYPE_ROUTER_ADVERTISEMENT;
  const send = (): void => {
    // The kernel fills in the checksum. It refuses to send until the bridge has its own address, and then the
    // next message passes.
    functions.sendto(descriptor, message, BigInt(message.length), 0, target, target.length);
  };
  send();
  const timer = setInterval(send, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    functions.close(descriptor);
  };
}

/** `struct sockaddr_in6` of ff02::1 on one network interface. */
function allNodes(interfaceIndex: number): Buffer {
  const address = Buffer.alloc(28);
  address.writeUInt16LE(AF_INET6, 0);
  Buffer.from('ff020000000000000000000000000001', 'hex').copy(address, 8);
  address.writeUInt32LE(interfaceIndex, 24);
  return address;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
