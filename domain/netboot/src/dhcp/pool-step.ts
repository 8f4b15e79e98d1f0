import { messageType, type DhcpPacket } from '@tinkerbell/dhcp';
import { IPV4_ANY, type Ipv4, type Mac } from '@tinkerbell/wire';
import { isInPool, type AddressPool } from './pool.ts';
import type { PoolTable } from './pool-table.ts';
import type { IgnoreReason } from './reasons.ts';
import { isOurIdentifier } from './server-identifier.ts';

export interface PoolStepInput {
  readonly request: DhcpPacket;
  readonly mac: Mac;
  /** The reservation's settings for the client's network. */
  readonly pool: AddressPool;
  readonly table: PoolTable;
  readonly isReserved: (address: Ipv4) => boolean;
  readonly serverAddress: Ipv4;
  readonly nowMs: number;
}

/** The action for a request that is answered from a pool. */
export type PoolStep =
  /** `isKnown`: the client has or had the address. Any other address is probed before it is offered. */
  | { readonly kind: 'offer'; readonly address: Ipv4; readonly isKnown: boolean }
  /** The lease must be recorded before the reply is sent. */
  | { readonly kind: 'acknowledge'; readonly address: Ipv4 }
  /** The settings for a client that got its address elsewhere. */
  | { readonly kind: 'inform' }
  | { readonly kind: 'refuse'; readonly message: string }
  | { readonly kind: 'decline' | 'release'; readonly address: Ipv4 }
  | { readonly kind: 'ignore'; readonly reason: IgnoreReason; readonly message: string };

/** Decides as RFC 2131 section 4.3 describes, with addresses from a pool. It changes nothing. */
export function poolStepFor(input: PoolStepInput): PoolStep {
  const { request, serverAddress } = input;
  const type = request.options.messageType;
  if (type === messageType.discover) return discover(input);
  if (type === messageType.inform) return inform(input);
  if (!isOurIdentifier(request, { serverAddress })) {
    return ignore(
      'other-server-selected',
      `the client chose ${request.options.serverIdentifier ?? 'nobody'}`,
    );
  }
  switch (type) {
    case messageType.request:
      return requestStep(input);
    case messageType.decline:
      return endOf(input, { kind: 'decline', address: request.options.requestedAddress });
    case messageType.release:
      return endOf(input, { kind: 'release', address: request.ciaddr });
    default:
      return ignore('unknown-message-type', `message type ${type ?? 'absent'}`);
  }
}

function ignore(reason: IgnoreReason, message: string): PoolStep {
  return { kind: 'ignore', reason, message };
}

function discover({ request, mac, pool, table, isReserved, nowMs }: PoolStepInput): PoolStep {
  const requested = request.options.requestedAddress;
  const address = table.choose({ mac, pool, requested, isReserved, nowMs });
  if (address === undefined) {
    return ignore('pool-exhausted', `the pool ${pool.first} to ${pool.last} has no free address`);
  }
  return { kind: 'offer', address, isKnown: table.of(mac, pool)?.address === address };
}

function inform({ request, pool }: PoolStepInput): PoolStep {
  return isInPool(pool, request.ciaddr)
    ? { kind: 'inform' }
    : ignore('no-hardware', `${request.ciaddr} is not in a pool`);
}

/** SELECTING has option 54. INIT-REBOOT has option 50 alone. RENEWING and REBINDING have ciaddr. */
function requestStep({ request, mac, pool, table, isReserved, nowMs }: PoolStepInput): PoolStep {
  const isUsing = request.ciaddr !== IPV4_ANY;
  const wanted = isUsing ? request.ciaddr : request.options.requestedAddress;
  if (wanted === undefined) return ignore('no-lease', 'the REQUEST names no address');
  const holding = table.at(wanted);
  const isOwn = holding?.mac === mac && holding.state !== 'declined' && isInPool(pool, wanted);
  if (isOwn && !isReserved(wanted)) return { kind: 'acknowledge', address: wanted };
  // The server may refuse clients that it knows. Another server may refuse the others (RFC 2131 section
  // 4.3.2).
  const isSelecting = request.options.serverIdentifier !== undefined;
  const isTaken = holding !== undefined && holding.untilMs > nowMs;
  if (isSelecting || isTaken || table.hasEverHad(mac)) {
    return { kind: 'refuse', message: `${wanted} is not leased to this client` };
  }
  return ignore('no-lease', `there is no known lease of ${wanted}`);
}

/**
 * A client may be right about a few addresses. A client that finds all of them in use is broken, or tries to exhaust the pool.
 */
const DECLINES_MAX = 5;

function endOf(
  { mac, table, nowMs }: PoolStepInput,
  { kind, address }: { kind: 'decline' | 'release'; address: Ipv4 | undefined },
): PoolStep {
  const holding = address === undefined ? undefined : table.at(address);
  const isOwn = holding?.mac === mac && (holding.state === 'leased' || holding.state === 'offered');
  if (address === undefined || !isOwn) {
    return ignore('no-lease', `the client has no lease of ${address ?? 'an address it does not name'}`);
  }
  if (kind === 'decline' && table.declinedBy(mac, nowMs) >= DECLINES_MAX) {
    return ignore('too-many-requests', `the client finds more than ${DECLINES_MAX} addresses in use`);
  }
  return { kind, address };
}
