/** `GET /dhcp-leases`: the pools of this server, and the addresses that they have assigned, newest first. */
import { isInPool, type AddressPool } from '@tinkerbell/netboot';
import type { Authorizer, Clock, HttpContext, HttpRequest } from '@tinkerbell/platform-contract';
import type { Lease, LeaseBook } from '@tinkerbell/store-contract';
import { ipv4ToNumber, parseIpv4 } from '@tinkerbell/wire';
import { permit, userOf } from './access/question.ts';
import { json, methodNotAllowed } from './api-response.ts';

/** The path in `nonResourceURLs` of roles. */
export const DHCP_LEASES = '/dhcp-leases';

export interface DhcpLeasesDeps {
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** Undefined if the server assigns no addresses. */
  readonly leases?: Pick<LeaseBook, 'load'>;
  readonly pools?: readonly AddressPool[];
}

/** A person reads them. `total` counts all. */
const LEASES_SHOWN = 1000;

export async function dhcpLeasesAnswer(
  { authorizer, clock, leases, pools = [] }: DhcpLeasesDeps,
  request: HttpRequest,
  context: HttpContext,
): Promise<Response> {
  permit(authorizer, userOf(context), { asked: { verb: 'get', path: DHCP_LEASES } });
  if (request.method !== 'GET') return methodNotAllowed(request);
  const all = (await leases?.load()) ?? [];
  const nowMs = clock.nowMs();
  const newest = all.toSorted((one, other) => other.untilMs - one.untilMs).slice(0, LEASES_SHOWN);
  return json({
    pools: pools.map((pool) => ({ ...pool, ...countsOf(pool, all, nowMs) })),
    total: all.length,
    leases: newest.map(({ untilMs, ...lease }) => ({ ...lease, until: new Date(untilMs).toISOString() })),
  });
}

function countsOf(pool: AddressPool, all: readonly Lease[], nowMs: number) {
  const own = all.filter(({ address: text, untilMs }) => {
    const address = parseIpv4(text);
    return untilMs > nowMs && address !== undefined && isInPool(pool, address);
  });
  const countOf = (state: Lease['state']): number => own.filter((one) => one.state === state).length;
  return {
    addresses: ipv4ToNumber(pool.last) - ipv4ToNumber(pool.first) + 1,
    leased: countOf('leased'),
    inUseElsewhere: countOf('declined'),
  };
}
