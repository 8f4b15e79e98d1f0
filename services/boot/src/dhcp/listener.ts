import { decodePacket, type DhcpPacket } from '@tinkerbell/dhcp';
import {
  classifyClient,
  replyTo,
  reservationFor,
  type NetbootClient,
  type ReplyDecision,
  type ReservationResult,
} from '@tinkerbell/netboot';
import type { Datagram, UdpAddress } from '@tinkerbell/platform-contract';
import type { ClientLimit } from './client-limit.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import type { DhcpPools } from './pools.ts';
import { sendReply, type DhcpEntrance } from './reply-sender.ts';
import { tracedReply } from './trace.ts';
import type { DhcpTimeline } from './timeline.ts';
import type { DhcpTraffic } from './traffic.ts';
import type { ReportUnknown } from './unknown-sightings.ts';
import type { ForeignServers } from './foreign-servers.ts';

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
  /** Receives what the packet's MAC has reserved. */
  readonly reserved?: ((reservation: ReservationResult) => void) | undefined;
}

export type OnDhcp = (datagram: Datagram, entrance: DhcpEntrance) => void;

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
): OnDhcp {
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

    deps.reserved?.(reservation);

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

  const sent = sendReply(entrance, { request, reply, peer });
  if (sent.kind === 'unreachable') return timeline.unreachable({ request, client, peer });
  if (sent.kind === 'unencodable') return timeline.unencodable({ client, error: sent.error });

  deps.traffic?.sent(reply.options.messageType);
  const { droppedOptions } = sent;
  timeline.replied({
    request,
    reply,
    client,
    reservation: () => reservation,
    settings,
    droppedOptions,
  });
}
