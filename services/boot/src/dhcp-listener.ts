import { decodePacket, encodePacket, replyDestination, type DhcpPacket } from '@tinkerbell/dhcp';
import { classifyClient, replyTo, reservationFor, type ReservationResult } from '@tinkerbell/netboot';
import type { Datagram, UdpSocket } from '@tinkerbell/platform-contract';
import { IPV4_BROADCAST } from '@tinkerbell/wire';
import type { BootConfig, BootDeps } from './config.ts';
import type { DhcpTimeline } from './dhcp-timeline.ts';

/**
 * One DHCP packet, from bytes to bytes. Reads top to bottom: each call decides one thing, and everything that is not
 * answered is reported with its reason.
 */
export function createDhcpListener(
  { view }: Pick<BootDeps, 'view'>,
  { netboot: settings }: Pick<BootConfig, 'netboot'>,
  timeline: DhcpTimeline,
): (datagram: Datagram, socket: Pick<UdpSocket, 'send'>) => void {
  return (datagram, socket) => {
    const decoded = decodePacket(datagram.bytes);
    if (!decoded.ok) return timeline.undecodable(datagram, decoded.error);
    const request = decoded.value;

    const client = classifyClient(request);
    const reservation: ReservationResult =
      client.mac === undefined
        ? { ok: false, reason: 'no-hardware', message: 'the client has no MAC' }
        : reservationFor(view.hardwareByMac(client.mac), client.mac);

    const decision = replyTo({ request, client, reservation, settings });
    if (decision.kind === 'ignore') return timeline.ignored({ request, client, decision });
    const { reply } = decision;

    const encoded = encodePacket(reply, limitsOf(request));
    if (!encoded.ok) return timeline.unencodable({ client, error: encoded.error });

    socket.send(encoded.bytes, addressOf(request, reply));
    timeline.replied({ request, reply, client, droppedOptions: encoded.droppedOptions });
  };
}

function limitsOf({ options }: DhcpPacket): { maximumMessageBytes?: number } {
  return options.maximumMessageBytes === undefined
    ? {}
    : { maximumMessageBytes: options.maximumMessageBytes };
}

/**
 * The platform sends through UDP sockets, which resolve addresses by ARP; a client without an address does not answer
 * ARP, so it gets a broadcast in place of the link-layer unicast (RFC 2131 section 4.1 allows it).
 */
function addressOf(request: DhcpPacket, reply: DhcpPacket): { address: string; port: number } {
  const { kind, address, port } = replyDestination(request, reply);
  return { address: kind === 'link-layer' ? IPV4_BROADCAST : address, port };
}
