/** Counts and records on the main thread what the DHCP thread has done. */
import { decodePacket } from '@tinkerbell/dhcp';
import { classifyClient, uncachedReservationFor, type NetbootSettings } from '@tinkerbell/netboot';
import type { View } from '@tinkerbell/store-contract';
import type { BootMetrics } from '../../metrics.ts';
import { nameOfType, type DhcpTimeline } from '../timeline.ts';
import type { DhcpTraffic } from '../traffic.ts';
import type { AnsweredPacket, PacketCounts } from './messages.ts';

export interface AnsweredDeps {
  readonly view: Pick<View, 'hardwareByMac'>;
  readonly timeline: DhcpTimeline;
  readonly traffic: DhcpTraffic;
  readonly metrics: Pick<BootMetrics, 'dhcpSent' | 'dhcpIgnored'>;
}

export function recordAnswered(
  { view, timeline, traffic }: AnsweredDeps,
  settings: NetbootSettings,
  { bytes, reply: replyBytes, droppedOptions }: AnsweredPacket,
): void {
  const [request, reply] = [decodePacket(bytes), decodePacket(replyBytes)];
  if (!request.ok || !reply.ok) return;
  const client = classifyClient(request.value);
  const { mac } = client;
  if (mac === undefined) return;
  traffic.received(request.value.options.messageType);
  traffic.sent(reply.value.options.messageType);
  timeline.replied({
    request: request.value,
    reply: reply.value,
    client,
    reservation: () => uncachedReservationFor(view.hardwareByMac(mac), mac),
    settings,
    droppedOptions,
  });
}

export function countPackets(
  { traffic, metrics }: AnsweredDeps,
  { answered, tooMany, busy }: PacketCounts,
): void {
  for (const { requestType, replyType, count } of answered) {
    traffic.received(requestType, count);
    traffic.sent(replyType, count);
    metrics.dhcpSent.add({ type: nameOfType(replyType) }, count);
  }
  if (tooMany > 0) metrics.dhcpIgnored.add({ reason: 'too-many-requests' }, tooMany);
  if (busy > 0) metrics.dhcpIgnored.add({ reason: 'server-busy' }, busy);
}
