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

/** `holder` is the host that has answered `who` at the address. Its MAC is known only in its own network. */
export function holderCheck(
  address: string,
  {
    holder,
    hardware,
    who = 'this host',
  }: {
    readonly holder: { readonly mac?: string } | undefined;
    readonly hardware: Hardware;
    readonly who?: string;
  },
): Check {
  if (holder === undefined)
    return { check: 'address', state: 'note', message: `${address}: no host answers ${who}` };
  if (holder.mac === undefined) {
    const message = `${address}: a host answers ${who}. Its MAC is visible only in its network: check from there`;
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

/** What became of a port of the server. */
export interface AskedPort {
  readonly name: string;
  readonly asks: 'tcp' | 'tftp' | 'dhcp';
  readonly port: number;
  readonly outcome: 'answered' | 'silent' | 'untried';
  readonly reason?: string;
}

/** `who` has asked: `this host`, or the name of a machine. */
export function portCheck(
  { name, asks, port, outcome, reason = 'no reason was given' }: AskedPort,
  { host, who }: { readonly host: string; readonly who: string },
): Check {
  const what = `${name}, ${asks === 'tcp' ? 'tcp' : 'udp'}/${port} of ${host}`;
  switch (outcome) {
    case 'answered':
      return { check: 'ports', state: 'ok', message: `${what} answers ${who}` };
    case 'silent':
      return { check: 'ports', state: 'failed', message: `${what} does not answer ${who}: ${reason}` };
    case 'untried':
      return { check: 'ports', state: 'note', message: `${what} was not tried by ${who}: ${reason}` };
    default:
      return outcome satisfies never;
  }
}

/** Returns the checks that found a problem, as evidence. Those before `sinceMs` are about another boot. */
export function evidenceOfChecks(tried: readonly TriedChecks[], sinceMs: number): readonly TriedEvidence[] {
  return tried
    .filter(({ atMs }) => atMs >= sinceMs)
    .flatMap(({ atMs, checks }) =>
      checks
        .filter(({ state }) => state === 'failed' || state === 'warning')
        .map(({ check, message }) => ({ atMs, text: `checked ${check}: ${message}` })),
    );
}
