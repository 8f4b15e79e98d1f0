/**
 * The floor of DHCP exchanges: finds the address of the MAC, patches a reply that was made before, and sends it to the relay. It has no
 * other rules and options, no limits, no records, and no other threads. Arguments: the network interface, the server's address, and the
 * number of machines. Prints `ready`.
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
  options: 240,
} as const;
const MESSAGE_TYPE = 53;
const [DISCOVER, OFFER, REQUEST, ACKNOWLEDGE] = [1, 2, 3, 5];
const REPLY_BYTES = 300;
const LEASE_SECONDS = [0, 1, 0x51, 0x80];

const [networkInterface = '', serverAddress = '', count = ''] = process.argv.slice(2);
const addressByMac = new Map(
  Array.from({ length: Number(count) }, (_, index) => {
    const { mac, address } = addressesOf(index);
    return [Number.parseInt(mac.replaceAll(':', ''), 16), Uint8Array.from(bytesOf(address))];
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
  [255],
];
reply.set([0x63, 0x82, 0x53, 0x63, ...options.flat()], AT.options - 4);

const socket = await nodeUdp.open(
  { port: 67, address: '0.0.0.0', networkInterface, reuseAddress: true, coalesces: true },
  {
    onDatagram({ bytes, peer }) {
      const address = addressByMac.get(macNumberOf(bytes));
      const type = messageTypeOf(bytes);
      if (address === undefined || (type !== DISCOVER && type !== REQUEST)) return;
      copy(bytes, AT.xid, AT.xid + 4);
      copy(bytes, AT.flags, AT.flags + 2);
      copy(bytes, AT.giaddr, AT.names);
      for (let index = 0; index < 4; index += 1) reply[AT.yiaddr + index] = address[index] ?? 0;
      reply[AT.options + 2] = (type === DISCOVER ? OFFER : ACKNOWLEDGE) ?? 0;
      socket.send(reply, peer);
    },
    onError(error) {
      throw error;
    },
  },
);
process.stdout.write('ready\n');

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
