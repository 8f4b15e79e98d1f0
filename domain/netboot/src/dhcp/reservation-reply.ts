import {
  linkAddressOf,
  messageType,
  type DhcpOptions,
  type DhcpPacket,
  type SubOption,
} from '@tinkerbell/dhcp';
import { NO_PXEDHCP } from '@tinkerbell/ipxe';
import { broadcastAddress, IPV4_ANY, networkAddress, type Ipv4 } from '@tinkerbell/wire';
import { bootFileFor } from '../boot-file.ts';
import type { NetbootClient } from './client.ts';
import { ignore, type ReplyDecision, type ReplyInput } from './decision.ts';
import { echoedOptions, headerFile, replyHeader } from './reply-header.ts';
import { domainSearchOf, type Reservation } from './reservation.ts';
import { isOurIdentifier, serverIdentifierFor } from './server-identifier.ts';
import type { NetbootSettings } from '../settings.ts';
import { NO_TRACE, vendorOptionsFor, vlanOptionFor } from './vendor-options.ts';

/**
 * In reservation mode, DISCOVER gets an OFFER, REQUEST an ACK, and INFORM an ACK without lease, each with the settings of the
 * MAC's Hardware. Upstream answers every REQUEST with an ACK. This server also ignores a REQUEST for another server, and refuses
 * one for another address (RFC 2131 section 4.3.2). Declines message types it does not know.
 */
export function replyFromReservation(input: ReplyInput): ReplyDecision | undefined {
  const { request, reservation, settings } = input;
  const type = request.options.messageType;
  const isKnown =
    type === messageType.discover || type === messageType.request || type === messageType.inform;
  if (!isKnown) return undefined;
  if (!reservation.ok) return ignore(reservation.reason, reservation.message);
  if (type === messageType.discover) return answer(input, reservation.value, messageType.offer);
  if (type === messageType.inform) {
    if (request.ciaddr === IPV4_ANY) return ignore('client-address-invalid', 'INFORM without ciaddr');
    return answer(input, reservation.value, messageType.acknowledge);
  }
  if (!isOurIdentifier(request, settings)) {
    return ignore(
      'other-server-selected',
      `the client chose ${request.options.serverIdentifier ?? 'nobody'}`,
    );
  }
  const why = whyRefused(request, reservation.value);
  return why === undefined
    ? answer(input, reservation.value, messageType.acknowledge)
    : { kind: 'reply', reply: refusal(request, settings, why) };
}

/** Returns the message of a refusal, or undefined when the client may have the address it names. */
function whyRefused(request: DhcpPacket, reservation: Reservation): string | undefined {
  if (wantsAnotherAddress(request, reservation)) {
    return 'the requested address is not reserved for this client';
  }
  return isOnAnotherNetwork(request, reservation)
    ? 'the requested address belongs to another network'
    : undefined;
}

/** SELECTING and INIT-REBOOT send it in option 50, RENEWING and REBINDING in ciaddr. */
function wantsAnotherAddress(request: DhcpPacket, { address }: Reservation): boolean {
  const wanted = request.options.requestedAddress ?? request.ciaddr;
  return address !== undefined && wanted !== IPV4_ANY && wanted !== address;
}

/**
 * In INIT-REBOOT (no server id, a requested address) a client finds out whether it was moved. The check applies only then: a
 * client that was just offered the address, or uses it, got it through this relay, whose own address may be in any network.
 */
function isOnAnotherNetwork(request: DhcpPacket, { address, netmask }: Reservation): boolean {
  const { serverIdentifier, requestedAddress } = request.options;
  if (serverIdentifier !== undefined || requestedAddress === undefined || request.ciaddr !== IPV4_ANY)
    return false;
  const link = linkAddressOf(request);
  if (link === undefined || address === undefined || netmask === undefined) return false;
  return networkAddress(link, netmask) !== networkAddress(address, netmask);
}

function answer(input: ReplyInput, reservation: Reservation, type: number): ReplyDecision {
  return { kind: 'reply', reply: reservationReply(input, reservation, type) };
}

/** Returns the settings of a reservation as an OFFER or ACK. An answer to INFORM has neither address nor lease time. */
export function reservationReply(
  { request, client, settings }: Pick<ReplyInput, 'request' | 'client' | 'settings'>,
  reservation: Reservation,
  type: number,
): DhcpPacket {
  const isInform = request.options.messageType === messageType.inform;
  const boot = bootSettings(client, reservation, settings);
  return {
    ...replyHeader(request),
    yiaddr: isInform ? IPV4_ANY : (reservation.address ?? IPV4_ANY),
    siaddr: boot.nextServer ?? settings.serverAddress,
    bootFile: boot.bootFile,
    options: {
      messageType: type,
      serverIdentifier: serverIdentifierFor(request, settings),
      ...(isInform ? {} : { leaseTimeSeconds: reservation.leaseTimeSeconds }),
      ...networkOptions(reservation, settings),
      ...boot.options,
      ...echoedOptions(request),
    },
  };
}

/** RFC 2131 table 3: a refusal contains only the server id and the reason. Through a relay it requests broadcast. */
export function refusal(request: DhcpPacket, settings: NetbootSettings, message: string): DhcpPacket {
  return {
    ...replyHeader(request),
    broadcast: request.broadcast || request.giaddr !== IPV4_ANY,
    options: {
      messageType: messageType.refuse,
      serverIdentifier: serverIdentifierFor(request, settings),
      message,
      ...echoedOptions(request),
    },
  };
}

/** Empty texts and lists are omitted when the packet is written. */
function networkOptions(reservation: Reservation, settings: NetbootSettings): DhcpOptions {
  const { address, netmask, gateway } = reservation;
  const hasNetwork = address !== undefined && netmask !== undefined;
  return {
    ...(hasNetwork ? { subnetMask: netmask, broadcastAddress: broadcastAddress(address, netmask) } : {}),
    ...(gateway === undefined ? {} : { routers: [gateway] }),
    ...(settings.syslogAddress === undefined ? {} : { logServers: [settings.syslogAddress] }),
    domainNameServers: reservation.nameServers,
    ntpServers: reservation.timeServers,
    hostName: reservation.hostName,
    domainName: reservation.domainName,
    domainSearch: domainSearchOf(reservation),
    classlessRoutes: routesFor(reservation),
  };
}

/** RFC 3442: a client that gets option 121 ignores option 3, so the default route must be in both. */
function routesFor({ routes, gateway }: Reservation): Reservation['routes'] {
  const hasDefault = routes.some(({ prefixLength }) => prefixLength === 0);
  if (routes.length === 0 || gateway === undefined || hasDefault) return routes;
  return [...routes, { destination: IPV4_ANY, prefixLength: 0, router: gateway }];
}

interface BootSettings {
  readonly bootFile: string;
  readonly nextServer?: Ipv4;
  readonly options: DhcpOptions;
}

/** Upstream contract: a configured tftp_server_name and boot_file_name replace the whole netboot block. */
function bootSettings(
  client: NetbootClient,
  reservation: Reservation,
  settings: NetbootSettings,
): BootSettings {
  const { tftpServerName, bootFileName } = reservation;
  if (tftpServerName !== '' || bootFileName !== '') {
    return { bootFile: headerFile(bootFileName), options: { tftpServerName, bootFileName } };
  }
  if (!client.isNetbootClient || !settings.netbootOptionsEnabled) return { bootFile: '', options: {} };
  const { kind, file, nextServer } = bootFileFor(client, reservation, settings);
  const bootFile = headerFile(file);
  return {
    bootFile,
    nextServer,
    options: {
      // Sent to HTTP boot firmware only, which ignores replies without it. PXE ROMs do not need it.
      ...(client.protocol === 'http' ? { vendorClassIdentifier: 'HTTPClient' } : {}),
      ...(kind === 'not-allowed' ? {} : { vendorSpecific: vendorOptions(client, reservation) }),
      ...(bootFile === '' ? { bootFileName: file } : {}),
      // iPXE waits two seconds for a proxy's offer otherwise. This reply is the complete answer.
      ...(client.isIpxe ? { ipxe: [NO_PXEDHCP] } : {}),
    },
  };
}

/** Sorted by code. */
function vendorOptions(client: NetbootClient, { vlanId }: Reservation): readonly SubOption[] {
  return [...vendorOptionsFor(client), NO_TRACE, ...vlanOptionFor(vlanId)];
}
