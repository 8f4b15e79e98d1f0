/**
 * DHCP of UEFI's PXE client behind a relay agent: the packets of a storm, and the fields of an answer that it
 * checks.
 */
import { addressesOf, NETWORK } from './machines.ts';

const HEADER_BYTES = 236;
const OPTION = {
  requestedAddress: 50,
  messageType: 53,
  serverIdentifier: 54,
  parameters: 55,
  end: 255,
} as const;
const MESSAGE_TYPES = { 2: 'offer', 5: 'ack', 6: 'nak' } as const;
const COOKIE = [99, 130, 83, 99] as const;
/** Transaction ids count up from here, by client. */
const FIRST_TRANSACTION = 0x5700_0000;

export interface DhcpMessageOptions {
  /** The client's number in the site. */
  readonly index: number;
  /** True: a REQUEST for its address. Otherwise a DISCOVER. */
  readonly isRequest: boolean;
  readonly server: string;
}

/** Returns a whole message as the relay at the network's gateway forwards it (RFC 2131, RFC 4578). */
export function dhcpMessage({ index, isRequest, server }: DhcpMessageOptions): Buffer {
  const { mac, address } = addressesOf(index);
  const header = Buffer.alloc(HEADER_BYTES);
  // BOOTREQUEST, Ethernet, 6 bytes of address, one hop.
  header.set([1, 1, 6, 1]);
  header.writeUInt32BE(FIRST_TRANSACTION + index, 4);
  header.set(octetsOf(NETWORK.gateway), 24);
  header.set(Buffer.from(mac.replaceAll(':', ''), 'hex'), 28);
  const request = [
    ...option(OPTION.requestedAddress, octetsOf(address)),
    ...option(OPTION.serverIdentifier, octetsOf(server)),
  ];
  return Buffer.from([
    ...header,
    ...COOKIE,
    ...option(OPTION.messageType, [isRequest ? 3 : 1]),
    // The largest message that it accepts.
    ...option(57, [5, 192]),
    ...option(OPTION.parameters, [1, 3, 6, 12, 43, 60, 66, 67]),
    // Machine identifier, network driver UNDI 3.16, x86-64 UEFI.
    ...option(97, [0, ...Buffer.from(`storm${String(index).padStart(11, '0')}`)]),
    ...option(94, [1, 3, 16]),
    ...option(93, [0, 7]),
    ...option(60, [...Buffer.from('PXEClient:Arch:00007:UNDI:003016')]),
    ...(isRequest ? request : []),
    OPTION.end,
  ]);
}

/** Returns the client that a reply is for. A number out of range is none of ours. */
export function transactionOf(reply: Buffer): number {
  return reply.length < HEADER_BYTES ? -1 : reply.readUInt32BE(4) - FIRST_TRANSACTION;
}

export function messageTypeOf(reply: Buffer): 'offer' | 'ack' | 'nak' | undefined {
  for (let at = HEADER_BYTES + COOKIE.length; at + 2 < reply.length; at += 2 + (reply[at + 1] ?? 0)) {
    if (reply[at] === OPTION.messageType) return MESSAGE_TYPES[reply[at + 2] as 2 | 5 | 6];
  }
  return undefined;
}

function option(code: number, data: readonly number[]): readonly number[] {
  return [code, data.length, ...data];
}

function octetsOf(address: string): readonly number[] {
  return address.split('.').map(Number);
}
