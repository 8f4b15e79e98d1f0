/** Sends a reply to where RFC 2131 section 4.1 wants it. */
import {
  encodePacket,
  replyDestination,
  type DhcpPacket,
  type ReplyDestination,
  type ReplyLimits,
} from '@tinkerbell/dhcp';
import type { Arrival } from '@tinkerbell/netboot';
import type { UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { IPV4_BROADCAST, isHostAddress, parseIpv4 } from '@tinkerbell/wire';

/** Replies are smaller. A larger one gets its own memory. */
const ETHERNET_PAYLOAD_BYTES = 1500;

export type ReplySocket = Pick<UdpSocket, 'send' | 'sendToMac'>;

/** The socket that received a datagram and sends the answer. */
export interface DhcpEntrance {
  readonly arrival: Arrival;
  readonly socket: ReplySocket;
}

export type SentReply =
  | {
      readonly kind: 'sent';
      /** Valid until the next reply. */
      readonly bytes: Uint8Array;
      readonly destination: UdpAddress | ReplyDestination;
      readonly droppedOptions: readonly number[];
    }
  /** On the boot server port, from a sender that is not a host address. */
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'unencodable'; readonly error: { readonly code: string; readonly message: string } };

interface Reply {
  readonly request: DhcpPacket;
  readonly reply: DhcpPacket;
  readonly peer: UdpAddress;
}

export function sendReply({ arrival, socket }: DhcpEntrance, { request, reply, peer }: Reply): SentReply {
  const isBootServer = arrival.port === 'boot-server';
  const destination = isBootServer ? senderOf(peer) : replyDestination(request, reply);
  if (destination === undefined) return { kind: 'unreachable' };
  const encoded = encodePacket(reply, limitsOf(request));
  if (!encoded.ok) return { kind: 'unencodable', error: encoded.error };
  const { bytes, droppedOptions } = encoded;
  sendTo(socket, bytes, destination);
  return { kind: 'sent', bytes, destination, droppedOptions };
}

/**
 * On the boot server port, clients already have an address and choose the port they listen on: iPXE 68, OVMF 4011. The answer
 * goes to the sender of the request. Returns undefined when that is not a host address.
 */
function senderOf(peer: UdpAddress): UdpAddress | undefined {
  const address = parseIpv4(peer.address);
  return address !== undefined && isHostAddress(address) ? peer : undefined;
}

/** Reused for each reply, because sockets have taken the bytes when their calls return. */
const replyBuffer = new Uint8Array(ETHERNET_PAYLOAD_BYTES);

function limitsOf({ options }: DhcpPacket): ReplyLimits {
  return {
    maximumMessageBytes: options.maximumMessageBytes,
    requestedOptions: options.parameterRequestList,
    into: replyBuffer,
  };
}

/**
 * A client without an address does not answer ARP. Its reply goes in a frame to its MAC, or by broadcast where the platform sends
 * no frames (RFC 2131 section 4.1 allows it).
 */
export function sendTo(socket: ReplySocket, bytes: Uint8Array, to: UdpAddress | ReplyDestination): void {
  if (!('kind' in to) || to.kind !== 'link-layer') return socket.send(bytes, to);
  sendByFrame(socket, bytes, { address: to.address, port: to.port, mac: to.hardwareAddress });
}

export function sendByFrame(
  socket: ReplySocket,
  bytes: Uint8Array,
  { mac, ...to }: UdpAddress & { readonly mac: string },
): void {
  if (!socket.sendToMac(bytes, to, mac)) socket.send(bytes, { address: IPV4_BROADCAST, port: to.port });
}
