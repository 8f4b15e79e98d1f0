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
  type NetbootClient,
  type ReplyDecision,
  type ReservationResult,
} from '@tinkerbell/netboot';
import type { Datagram, UdpAddress, UdpSocket } from '@tinkerbell/platform-contract';
import { IPV4_BROADCAST, isHostAddress, parseIpv4 } from '@tinkerbell/wire';
import type { ClientLimit } from './client-limit.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import type { DhcpPools } from './pools.ts';
import { tracedReply } from './trace.ts';
import type { DhcpTimeline } from './timeline.ts';
import type { DhcpTraffic } from './traffic.ts';
import type { ReportUnknown } from './unknown-sightings.ts';
import type { ForeignServers } from './foreign-servers.ts';

/** Replies are smaller. A larger one gets its own memory. */
const ETHERNET_PAYLOAD_BYTES = 1500;

/** The socket that received a datagram and sends the answer. */
export interface DhcpEntrance {
  readonly arrival: Arrival;
  readonly socket: Pick<UdpSocket, 'send' | 'sendToMac'>;
}

export interface DhcpListenerDeps extends Pick<BootDeps, 'view' | 'tracer'> {
  readonly timeline: DhcpTimeline;
  readonly mayAsk: ClientLimit;
  /** Receives packets of machines without Hardware. */
  readonly reportUnknown?: ReportUnknown;
  readonly traffic?: DhcpTraffic;
  /** Present when the settings have pools. */
  readonly pools?: Pick<DhcpPools, 'decide'> | undefined;
  /** Receives reports of clients that chose another server. */
  readonly foreignServers?: Pick<ForeignServers, 'seen'> | undefined;
}

interface Exchange {
  readonly request: DhcpPacket;
  readonly client: NetbootClient;
  readonly reservation: ReservationResult;
  readonly peer: UdpAddress;
  readonly settings: BootConfig['netboot'];
  readonly entrance: DhcpEntrance;
}

/**
 * Handles one DHCP packet, from bytes to bytes. It reads top to bottom: each call decides one thing, and everything that is not
 * answered is reported with its reason.
 */
export function createDhcpListener(
  deps: DhcpListenerDeps,
  { netboot: settings }: Pick<BootConfig, 'netboot'>,
): (datagram: Datagram, entrance: DhcpEntrance) => void {
  const { view, timeline, mayAsk, pools } = deps;
  return (datagram, entrance) => {
    if (!mayAsk(datagram.bytes)) return timeline.tooMany(datagram);
    const decoded = decodePacket(datagram.bytes);
    if (!decoded.ok) return timeline.undecodable(datagram, decoded.error);
    const request = decoded.value;
    deps.traffic?.received(request.options.messageType);

    const client = classifyClient(request);
    const reservation: ReservationResult =
      client.mac === undefined
        ? { ok: false, reason: 'no-hardware', message: 'the client has no MAC' }
        : reservationFor(view.hardwareByMac(client.mac), client.mac);

    const { arrival } = entrance;
    const exchange = { request, client, reservation, peer: datagram.peer, settings, entrance };
    const decision = replyTo({ request, client, reservation, settings, arrival });
    if (decision.kind !== 'pool') return conclude(deps, exchange, decision);
    const { pool } = decision;
    void pools
      ?.decide({ request, client, reservation, pool, arrival })
      .then((outcome) => conclude(deps, exchange, outcome));
  };
}

function conclude(deps: DhcpListenerDeps, exchange: Exchange, decision: ReplyDecision): void {
  deps.reportUnknown?.(exchange, decision);
  if (decision.kind === 'ignore') return ignored(deps, exchange, decision);
  if (decision.kind === 'reply') answer(deps, exchange, decision);
}

function ignored(
  { view, timeline, foreignServers }: DhcpListenerDeps,
  { request, client, reservation }: Exchange,
  decision: Extract<ReplyDecision, { kind: 'ignore' }>,
): void {
  if (decision.reason === 'client-declined') return timeline.declined({ request, client, view });
  if (decision.reason === 'other-server-selected') foreignServers?.seen(request);
  timeline.ignored({ request, client, reservation, decision });
}

function answer(
  deps: DhcpListenerDeps,
  { request, client, reservation, peer, settings, entrance }: Exchange,
  decision: Extract<ReplyDecision, { kind: 'reply' }>,
): void {
  const { timeline } = deps;
  const reply = deps.tracer?.isOn
    ? tracedReply(deps.tracer, { request, reply: decision.reply, client })
    : decision.reply;

  const isBootServer = entrance.arrival.port === 'boot-server';
  const destination = isBootServer ? senderOf(peer) : replyDestination(request, reply);
  if (destination === undefined) return timeline.unreachable({ request, client, peer });

  const encoded = encodePacket(reply, limitsOf(request));
  if (!encoded.ok) return timeline.unencodable({ client, error: encoded.error });

  send(entrance.socket, encoded.bytes, destination);
  deps.traffic?.sent(reply.options.messageType);
  const { droppedOptions } = encoded;
  timeline.replied({ request, reply, client, reservation, settings, droppedOptions });
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
function send(socket: DhcpEntrance['socket'], bytes: Uint8Array, to: UdpAddress | ReplyDestination): void {
  if (!('kind' in to) || to.kind !== 'link-layer') return socket.send(bytes, to);
  const { address, port, hardwareAddress } = to;
  if (socket.sendToMac(bytes, { address, port }, hardwareAddress)) return;
  socket.send(bytes, { address: IPV4_BROADCAST, port });
}
