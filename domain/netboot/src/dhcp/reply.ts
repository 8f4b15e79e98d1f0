import { malformedOptionsOf, messageType, optionTable } from '@tinkerbell/dhcp';
import { isHostAddress, isNetworkEdge, IPV4_ANY, netmaskOf, type Ipv4 } from '@tinkerbell/wire';
import { ignore, type ReplyDecision, type ReplyInput, type ReplyVariant } from './decision.ts';
import { poolFor } from './pool.ts';
import { ignoreBesideProxy } from './proxy-audience.ts';
import { replyAsProxy } from './proxy-reply.ts';
import { replyFromReservation } from './reservation-reply.ts';
import { isOurIdentifier } from './server-identifier.ts';

/** RFC 1542 section 4.1.1: a relay drops a packet that passed more than 16 relays. */
const HOPS_MAX = 16;

const variants: readonly ReplyVariant[] = [
  ignoreHostile,
  leaveToOtherServer,
  leaveToPool,
  ignoreQuiet,
  ignoreBesideProxy,
  replyAsProxy,
  replyFromReservation,
];

/** Returns the answer to a DHCP packet, or the reason for sending none. The first variant that does not decline wins. */
export function replyTo(input: ReplyInput): ReplyDecision {
  for (const variant of variants) {
    const decision = variant(input);
    if (decision !== undefined) return decision;
  }
  return ignore('unknown-message-type', `message type ${input.request.options.messageType ?? 'absent'}`);
}

/** The values of these options decide the answer. A guess at a broken one could answer in place of another server. */
const DECISIVE_OPTIONS: readonly number[] = [
  optionTable.messageType.code,
  optionTable.requestedAddress.code,
  optionTable.serverIdentifier.code,
];

/** Checks for forged requests. A reply to them could go anywhere. */
function ignoreHostile({ request, reservation, settings }: ReplyInput): ReplyDecision | undefined {
  if (request.op !== 'request') return ignore('not-a-request', 'op is reply');
  if (request.hops > HOPS_MAX) return ignore('too-many-hops', `it passed ${request.hops} relays`);
  const broken = malformedOptionsOf(request.options).find((code) => DECISIVE_OPTIONS.includes(code));
  if (broken !== undefined) return ignore('malformed-option', `option ${broken} has a forbidden length`);
  // A reply is sent to these addresses. A loopback address, a group address or the server's own address is
  // never a client's.
  const isReflecting = (address: Ipv4) =>
    address !== IPV4_ANY &&
    (!isHostAddress(address) ||
      address === settings.serverAddress ||
      isEdgeOfNetwork(address, reservation, settings));
  if (isReflecting(request.giaddr)) return ignore('relay-address-invalid', `giaddr is ${request.giaddr}`);
  if (isReflecting(request.ciaddr)) return ignore('client-address-invalid', `ciaddr is ${request.ciaddr}`);
  return undefined;
}

/**
 * Returns true for the first or last address of the machine's own network or of a pool's network. All hosts of a network listen
 * to these.
 */
function isEdgeOfNetwork(
  address: Ipv4,
  reservation: ReplyInput['reservation'],
  { pools = [] }: ReplyInput['settings'],
): boolean {
  if (pools.some(({ first, prefixLength }) => isNetworkEdge(address, first, netmaskOf(prefixLength))))
    return true;
  if (!reservation.ok) return false;
  const { address: own, netmask } = reservation.value;
  return own !== undefined && netmask !== undefined && isNetworkEdge(address, own, netmask);
}

/** A machine whose Hardware specifies that another server assigns its address. Proxies assign none, and answer it. */
function leaveToOtherServer({ reservation, settings }: ReplyInput): ReplyDecision | undefined {
  if (settings.mode !== 'reservation' || !reservation.ok || !reservation.value.isDhcpDisabled)
    return undefined;
  return ignore('dhcp-disabled', `${reservation.value.path}.disableDhcp is true`);
}

/** A machine without its own address, in a network that has a pool. */
function leaveToPool({
  request,
  client,
  reservation,
  settings,
  arrival,
}: ReplyInput): ReplyDecision | undefined {
  const { pools = [], serverAddress, mode } = settings;
  if (pools.length === 0 || mode !== 'reservation') return undefined;
  if (client.mac === undefined || request.options.messageType === undefined) return undefined;
  const hasNoAddress = reservation.ok
    ? reservation.value.address === undefined
    : reservation.reason === 'no-hardware';
  const pool = hasNoAddress ? poolFor(pools, { request, arrival, serverAddress }) : undefined;
  return pool === undefined ? undefined : { kind: 'pool', pool };
}

/** Message types that never get an answer. */
function ignoreQuiet({ request, client, settings }: ReplyInput): ReplyDecision | undefined {
  const type = request.options.messageType;
  if (type === undefined) return ignore('no-message-type', 'option 53 is absent');
  if (client.mac === undefined) return ignore('no-hardware-address', `hardware type ${request.hardwareType}`);
  const isAboutLease = type === messageType.release || type === messageType.decline;
  if (isAboutLease && !isOurIdentifier(request, settings)) {
    return ignore(
      'other-server-selected',
      `the lease is from ${request.options.serverIdentifier ?? 'nobody'}`,
    );
  }
  if (type === messageType.release) return ignore('client-released', `address ${request.ciaddr} released`);
  if (type === messageType.decline) {
    return ignore(
      'client-declined',
      `address ${request.options.requestedAddress ?? 'unknown'} is in use elsewhere`,
    );
  }
  return undefined;
}
