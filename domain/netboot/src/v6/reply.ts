import { isDomainName } from '@tinkerbell/dhcp';
import { messageType, statusCode, type Dhcpv6Message, type Dhcpv6Options } from '@tinkerbell/dhcpv6';
import { encodeUtf8 } from '@tinkerbell/wire';
import type { NetbootClient } from '../dhcp/client.ts';
import type { ReservationRefusal } from '../dhcp/reasons.ts';
import { v6Associations } from './addresses.ts';
import { v6BootUrlFor, type V6NoBootReason, type V6Settings } from './boot-url.ts';
import { vendorClassText } from './client.ts';
import type { V6Reservation, V6ReservationResult } from './reservation.ts';

export interface V6ReplyInput {
  readonly request: Dhcpv6Message;
  readonly client: NetbootClient;
  readonly reservation: V6ReservationResult;
  readonly settings: V6Settings;
  /** The server's DUID. */
  readonly serverIdentifier: Uint8Array;
}

export type V6IgnoreReason =
  | 'unknown-message-type'
  | 'other-server-selected'
  | 'server-not-named'
  | 'server-named'
  | 'client-not-named'
  | 'addresses-in-information-request'
  | 'no-mac'
  | 'nothing-to-confirm'
  | ReservationRefusal;

export type V6ReplyDecision =
  | {
      readonly kind: 'reply';
      readonly reply: Dhcpv6Message;
      /** The reason why it names no boot file. Absent when it names one, or when the answer cannot contain one. */
      readonly noBoot?: V6NoBootReason;
    }
  | { readonly kind: 'ignore'; readonly reason: V6IgnoreReason; readonly message: string };

const asking: readonly number[] = [
  messageType.solicit,
  messageType.request,
  messageType.renew,
  messageType.rebind,
  messageType.informationRequest,
];
const ending: readonly number[] = [messageType.release, messageType.decline];
/** RFC 8415 sections 16.2 to 16.9 define which messages must name their server, and which must not. */
const namingServer: readonly number[] = [messageType.request, messageType.renew, ...ending];
const namingNoServer: readonly number[] = [messageType.solicit, messageType.confirm, messageType.rebind];

/** Returns the answer to a DHCPv6 message, or the reason for sending none. */
export function replyToV6(input: V6ReplyInput): V6ReplyDecision {
  const invalid = whyInvalid(input);
  if (invalid !== undefined) return invalid;
  const { request, client, reservation } = input;
  if (client.mac === undefined)
    return ignore('no-mac', 'neither DUID nor relay nor link-local address contains the MAC');
  if (!reservation.ok) return ignore(reservation.reason, reservation.message);
  const { isDhcpDisabled, path } = reservation.value.common;
  if (isDhcpDisabled) return ignore('dhcp-disabled', `${path}.disableDhcp is true`);
  if (request.type === messageType.confirm) return confirm(input, reservation.value);
  if (ending.includes(request.type)) return withStatus(input, statusCode.success);
  return answer(input, reservation.value);
}

function whyInvalid({ request, serverIdentifier }: V6ReplyInput): V6ReplyDecision | undefined {
  const { type, options } = request;
  if (![...asking, ...ending, messageType.confirm].includes(type))
    return ignore('unknown-message-type', `message type ${type}`);
  const named = options.serverIdentifier;
  if (named !== undefined && namingNoServer.includes(type))
    return ignore('server-named', `message type ${type} must not name a server`);
  if (named === undefined && namingServer.includes(type))
    return ignore('server-not-named', `message type ${type} must name its server`);
  if (named !== undefined && !isEqual(named, serverIdentifier))
    return ignore('other-server-selected', 'it is for another server');
  const isInformation = type === messageType.informationRequest;
  if (options.clientIdentifier === undefined && !isInformation)
    return ignore('client-not-named', `message type ${type} must name the client`);
  if (isInformation && options.identityAssociations !== undefined)
    return ignore('addresses-in-information-request', 'an Information-request asks for no addresses');
  return undefined;
}

function ignore(reason: V6IgnoreReason, message: string): V6ReplyDecision {
  return { kind: 'ignore', reason, message };
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function answer(input: V6ReplyInput, reservation: V6Reservation): V6ReplyDecision {
  const { request, client, settings } = input;
  const { type, options } = request;
  const isRapid = options.rapidCommit === true && reservation.address !== undefined;
  const isOffer = type === messageType.solicit && !isRapid;
  const identityAssociations = v6Associations({
    type,
    asked: options.identityAssociations ?? [],
    address: reservation.address,
    lifetimeSeconds: reservation.common.leaseTimeSeconds,
  });
  const boot = v6BootUrlFor(client, reservation.common, settings);
  const reply: Dhcpv6Message = {
    type: isOffer ? messageType.advertise : messageType.reply,
    transactionId: request.transactionId,
    options: {
      ...identifiers(input),
      ...(identityAssociations.length === 0 ? {} : { identityAssociations }),
      ...(type === messageType.solicit && isRapid ? { rapidCommit: true } : {}),
      ...networkOptions(reservation),
      ...(boot.ok ? { bootFileUrl: boot.url } : {}),
      ...vendorClassEcho(options),
    },
  };
  return boot.ok ? { kind: 'reply', reply } : { kind: 'reply', reply, noBoot: boot.reason };
}

function identifiers({ request, serverIdentifier }: V6ReplyInput): Dhcpv6Options {
  const { clientIdentifier } = request.options;
  return { serverIdentifier, ...(clientIdentifier === undefined ? {} : { clientIdentifier }) };
}

function networkOptions({ nameServers, common }: V6Reservation): Dhcpv6Options {
  return {
    ...(nameServers.length === 0 ? {} : { nameServers }),
    ...(isDomainName(common.domainName) ? { domainSearch: [common.domainName] } : {}),
  };
}

/**
 * UEFI 2.10 section 24.7: HTTP boot firmware accepts only offers that contain `HTTPClient`, under the number that it used itself.
 */
function vendorClassEcho({ vendorClass }: Dhcpv6Options): Dhcpv6Options {
  if (vendorClass === undefined || !vendorClassText(vendorClass).startsWith('HTTPClient')) return {};
  return { vendorClass: { enterprise: vendorClass.enterprise, data: [encodeUtf8('HTTPClient')] } };
}

/**
 * RFC 8415 section 18.3.3: the reply states whether the addresses still fit the link. Without an address of its own, the server
 * cannot determine this.
 */
function confirm(input: V6ReplyInput, { address }: V6Reservation): V6ReplyDecision {
  const asked = (input.request.options.identityAssociations ?? []).flatMap(({ addresses }) => addresses);
  if (address === undefined || asked.length === 0)
    return ignore('nothing-to-confirm', 'no address to compare with');
  const isOurs = asked.every((each) => each.address === address);
  return withStatus(input, isOurs ? statusCode.success : statusCode.notOnLink);
}

function withStatus(input: V6ReplyInput, code: number): V6ReplyDecision {
  const { transactionId } = input.request;
  const options = { ...identifiers(input), status: { code, message: '' } };
  return { kind: 'reply', reply: { type: messageType.reply, transactionId, options } };
}
