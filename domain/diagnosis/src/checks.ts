/** The results of active checks: what was tried, and not only observed. */
import { macsOf, type Hardware } from '@tinkerbell/resources';
import { parseIpv4 } from '@tinkerbell/wire';

export interface Check {
  readonly check: 'ports' | 'address' | 'bmc' | 'console' | 'network';
  /** `note`: nothing is known, or it means nothing by itself. */
  readonly state: 'ok' | 'note' | 'warning' | 'failed';
  readonly message: string;
}

export interface TriedChecks {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly checks: readonly Check[];
}

interface TriedEvidence {
  readonly atMs: number;
  readonly text: string;
}

/** A machine has a few interfaces. Each address is probed. */
const ADDRESSES_MAX = 8;

/** Returns the IPv4 addresses that the Hardware assigns, at most eight. */
export function probedAddresses({ spec }: Hardware): readonly string[] {
  return (spec?.interfaces ?? [])
    .flatMap(({ dhcp }) => dhcp?.ip?.address ?? [])
    .filter((address) => parseIpv4(address) !== undefined)
    .slice(0, ADDRESSES_MAX);
}

/** `holder` is the host that has answered at the address. Its MAC is known only in its own network. */
export function holderCheck(
  address: string,
  {
    holder,
    hardware,
  }: { readonly holder: { readonly mac?: string } | undefined; readonly hardware: Hardware },
): Check {
  if (holder === undefined)
    return { check: 'address', state: 'note', message: `${address}: no host answers this host` };
  if (holder.mac === undefined) {
    const message = `${address}: a host answers. Its MAC is not visible from here: run this in its network`;
    return { check: 'address', state: 'note', message };
  }
  return macsOf(hardware).includes(holder.mac)
    ? { check: 'address', state: 'ok', message: `${address}: the machine itself answers` }
    : {
        check: 'address',
        state: 'failed',
        message: `${address}: another host, with the MAC ${holder.mac}, uses it`,
      };
}

/** Returns the checks that found a problem, as evidence. Those before `sinceMs` are about another boot. */
export function evidenceOfChecks(tried: TriedChecks | undefined, sinceMs: number): readonly TriedEvidence[] {
  if (tried === undefined || tried.atMs < sinceMs) return [];
  return tried.checks
    .filter(({ state }) => state === 'failed' || state === 'warning')
    .map(({ check, message }) => ({ atMs: tried.atMs, text: `checked ${check}: ${message}` }));
}
