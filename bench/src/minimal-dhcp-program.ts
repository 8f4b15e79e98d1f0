/**
 * The floor of DHCP exchanges: finds the address and the name of the MAC, patches a reply that was made before, and sends it to the relay.
 * The reply has the options of the product's, because perfdhcp takes longer for more. It has no other rules, no limits, no records, and no
 * other threads. Arguments: the network interface, the server's address, and the number of machines. Prints `ready`.
 */
import { nodeUdp } from '@tinkerbell/platform-node/udp';

import { addressesOf, NETWORK } from './machines.ts';

/** Offsets in a packet, RFC 2131 section 2. */
const AT = {
  xid: 4,
  flags: 10,
  yiaddr: 16,
  siaddr: 20,
  giaddr: 24,
  chaddr: 28,
  names: 44,
  cookie: 236,
  options: 240,
} as const;
const [HOSTNAME, MESSAGE_TYPE, CLIENT_IDENTIFIER, END] = [12, 53, 61, 255] as const;
/** The Ethernet type and a MAC. */
const IDENTIFIER_BYTES = 7;
const [DISCOVER, OFFER, REQUEST, ACKNOWLEDGE] = [1, 2, 3, 5];
/** With the longest name, `machine-9999`. */
const REPLY_BYTES = 303;
const LEASE_SECONDS = [0, 1, 0x51, 0x80];
const BOOT_REQUEST = 1;
/** RFC 2131 section 3. */
const COOKIE = 0x63_82_53_63;

const [networkInterface = '', serverAddress = '', count = ''] = process.argv.slice(2);
const machineByMac = new Map(
  Array.from({ length: Number(count) }, (_, index) => {
    const { mac, address } = addressesOf(index);
    const hostname = Buffer.from(`machine-${index}`);
    const end = Uint8Array.from([HOSTNAME, hostname.length, ...hostname, END]);
    return [
      Number.parseInt(mac.replaceAll(':', ''), 16),
      { address: Uint8Array.from(bytesOf(address)), end },
    ];
  }),
);
const reply = new Uint8Array(REPLY_BYTES);
reply.set([2, 1, 6]);
reply.set(bytesOf(serverAddress), AT.siaddr);
const options = [
  [MESSAGE_TYPE, 1, 0],
  [54, 4, ...bytesOf(serverAddress)],
  [51, 4, ...LEASE_SECONDS],
  [1, 4, ...bytesOf(NETWORK.netmask)],
  [3, 4, ...bytesOf(NETWORK.gateway)],
  [6, 4, ...bytesOf(serverAddress)],
  [28, 4, ...bytesOf(NETWORK.broadcast)],
  [CLIENT_IDENTIFIER, IDENTIFIER_BYTES, 1],
].flat();
new DataView(reply.buffer).setUint32(AT.cookie, COOKIE);
reply.set(options, AT.options);
const identifiedAt = AT.options + options.length;
const endAt = identifiedAt + IDENTIFIER_BYTES - 1;

const socket = await nodeUdp.open(
  { port: 67, address: '0.0.0.0', networkInterface, reuseAddress: true, coalesces: true },
  {
    onDatagram({ bytes, peer }) {
      if (!isRequest(bytes)) return;
      const machine = machineByMac.get(macNumberOf(bytes));
      const type = messageTypeOf(bytes);
      if (machine === undefined || (type !== DISCOVER && type !== REQUEST)) return;
      copy(bytes, AT.xid, AT.xid + 4);
      copy(bytes, AT.flags, AT.flags + 2);
      copy(bytes, AT.giaddr, AT.names);
      reply.set(machine.address, AT.yiaddr);
      for (let index = 0; index < IDENTIFIER_BYTES - 1; index += 1)
        reply[identifiedAt + index] = bytes[AT.chaddr + index] ?? 0;
      reply.fill(0, endAt);
      reply.set(machine.end, endAt);
      reply[AT.options + 2] = (type === DISCOVER ? OFFER : ACKNOWLEDGE) ?? 0;
      socket.send(reply, peer);
    },
    onError(error) {
      throw error;
    },
  },
);
process.stdout.write('ready\n');

/** Without it, a packet that is damaged or no DHCP would get an answer. */
function isRequest(bytes: Uint8Array): boolean {
  if (bytes.length < AT.options || bytes[0] !== BOOT_REQUEST) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(AT.cookie) === COOKIE;
}

function copy(bytes: Uint8Array, from: number, to: number): void {
  for (let index = from; index < to; index += 1) reply[index] = bytes[index] ?? 0;
}

function macNumberOf(bytes: Uint8Array): number {
  let value = 0;
  for (let index = AT.chaddr; index < AT.chaddr + 6; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

function messageTypeOf(bytes: Uint8Array): number | undefined {
  let at: number = AT.options;
  while (at < bytes.length && bytes[at] !== MESSAGE_TYPE) at += 2 + (bytes[at + 1] ?? 0);
  return bytes[at + 2];
}

function bytesOf(address: string): readonly number[] {
  return address.split('.').map(Number);
}
