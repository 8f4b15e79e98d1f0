import {
  decodePacket,
  encodePacket,
  replyDestination,
  type DhcpPacket,
  type ReplyDestination,
  type ReplyLimits,
} from '@tinkerbell/dhcp';
import {
  classifyClient,
  replyTo,
  reservationFor,
  type Arrival,
  type ReservationResult,
} from '@tinkerbell/netboot';
import type { Datagram, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { IPV4_BROADCAST, isHostAddress, parseIpv4 } from '@tinkerbell/wire';
import type { ClientLimit } from './client-limit.ts';
import type { BootConfig, BootDeps } from './config.ts';
import type { DhcpTimeline } from './dhcp-timeline.ts';

/** Where a datagram came in, and what it is answered through. */
export interface DhcpEntrance {
  readonly arrival: Arrival;
  readonly socket: Pick<UdpSocket, 'send' | 'sendToMac'>;
}

export interface DhcpListenerDeps extends Pick<BootDeps, 'view'> {
  readonly timeline: DhcpTimeline;
  readonly mayAsk: ClientLimit;
}

/**
 * One DHCP packet, from bytes to bytes. Reads top to bottom: each call decides one thing, and everything that is not
 * answered is reported with its reason.
 */
export function createDhcpListener(
  { view, timeline, mayAsk }: DhcpListenerDeps,
  { netboot: settings }: Pick<BootConfig, 'netboot'>,
): (datagram: Datagram, entrance: DhcpEntrance) => void {
  return (datagram, { arrival, socket }) => {
    if (!mayAsk(datagram.bytes)) return timeline.tooMany(datagram);
    const decoded = decodePacket(datagram.bytes);
    if (!decoded.ok) return timeline.undecodable(datagram, decoded.error);
    const request = decoded.value;

    const client = classifyClient(request);
    const reservation: ReservationResult =
      client.mac === undefined
        ? { ok: false, reason: 'no-hardware', message: 'the client has no MAC' }
        : reservationFor(view.hardwareByMac(client.mac), client.mac);

    const decision = replyTo({ request, client, reservation, settings, arrival });
    if (decision.kind === 'ignore') {
      if (decision.reason === 'client-declined') return timeline.declined({ request, client, view });
      return timeline.ignored({ request, client, reservation, decision });
    }
    const { reply } = decision;

    const destination =
      arrival.port === 'boot-server' ? senderOf(datagram) : replyDestination(request, reply);
    if (destination === undefined) return timeline.unreachable({ request, client, peer: datagram.peer });

    const encoded = encodePacket(reply, limitsOf(request));
    if (!encoded.ok) return timeline.unencodable({ client, error: encoded.error });

    send(socket, encoded.bytes, destination);
    timeline.replied({ request, reply, client, droppedOptions: encoded.droppedOptions });
  };
}

/**
 * On the boot server port clients have an address already, and choose the port they listen on: iPXE 68, OVMF 4011. The
 * answer goes where the request came from; undefined when that is no host.
 */
function senderOf({ peer }: Datagram): UdpAddress | undefined {
  const address = parseIpv4(peer.address);
  return address !== undefined && isHostAddress(address) ? peer : undefined;
}

function limitsOf({ options }: DhcpPacket): ReplyLimits {
  return {
    maximumMessageBytes: options.maximumMessageBytes,
    requestedOptions: options.parameterRequestList,
  };
}

/**
 * A client without an address answers no ARP: its reply goes in a frame to its MAC, or by broadcast where the platform
 * sends no frames (RFC 2131 section 4.1 allows it).
 */
function send(socket: DhcpEntrance['socket'], bytes: Uint8Array, to: UdpAddress | ReplyDestination): void {
  if (!('kind' in to) || to.kind !== 'link-layer') return socket.send(bytes, to);
  const { address, port, hardwareAddress } = to;
  if (socket.sendToMac(bytes, { address, port }, hardwareAddress)) return;
  socket.send(bytes, { address: IPV4_BROADCAST, port });
}
