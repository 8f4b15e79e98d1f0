import {
  broadcastAddress,
  ipv4ToNumber,
  isHostAddress,
  netmaskOf,
  networkAddress,
  parseIpv4,
  type Ipv4,
} from '@tinkerbell/wire';
import { isInPool, type AddressPool } from './pool.ts';

export type PoolResult =
  | { readonly ok: true; readonly value: AddressPool }
  | { readonly ok: false; readonly message: string };

/** The search for a free address visits all addresses. This limit keeps it below a millisecond. */
const POOL_ADDRESSES_MAX = 16_384;
const LEASE_SECONDS_DEFAULT = 3600;
const LEASE_SECONDS_MIN = 60;
const LEASE_SECONDS_MAX = 0xffff_fffe;
const NAME_SERVERS_MAX = 8;
const SECONDS_BY_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const EXAMPLE = '192.0.2.100-192.0.2.200/24,gateway=192.0.2.1,dns=192.0.2.53,lease=1h';

/**
 * Parses `FIRST-LAST/PREFIX[,gateway=ADDRESS][,dns=ADDRESS]...[,lease=1h]`. `dns` may occur up to eight times. `lease` is a
 * number with s, m, h or d (default: one hour, minimum: one minute). The error names the fault and the correct form.
 */
export function parseAddressPool(text: string): PoolResult {
  try {
    return { ok: true, value: readPool(text) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ok: false, message: `address pool ${JSON.stringify(text)}: ${error.message}` };
  }
}

class Unreadable extends Error {}

function readPool(text: string): AddressPool {
  const [rangeText = '', ...settings] = text.split(',');
  const pool = { ...readRange(rangeText), ...readSettings(settings) };
  const { gateway } = pool;
  if (gateway === undefined) return pool;
  const netmask = netmaskOf(pool.prefixLength);
  if (networkAddress(gateway, netmask) !== networkAddress(pool.first, netmask)) {
    throw new Unreadable(
      `the gateway ${gateway} is not in the network of ${pool.first}/${pool.prefixLength}`,
    );
  }
  if (isInPool(pool, gateway))
    throw new Unreadable(`the gateway ${gateway} is one of the pool's own addresses`);
  return pool;
}

function readRange(text: string): Pick<AddressPool, 'first' | 'last' | 'prefixLength'> {
  const match = /^([\d.]+)-([\d.]+)\/(\d{1,2})$/.exec(text);
  if (match === null) throw new Unreadable(`write FIRST-LAST/PREFIX, as in ${EXAMPLE}`);
  const [first, last] = [readAddress('first address', match[1]), readAddress('last address', match[2])];
  const prefixLength = Number(match[3]);
  if (prefixLength < 8 || prefixLength > 30) {
    throw new Unreadable(`the prefix /${prefixLength} is not between /8 and /30`);
  }
  const netmask = netmaskOf(prefixLength);
  if (networkAddress(first, netmask) !== networkAddress(last, netmask)) {
    throw new Unreadable(`${first} and ${last} are not in one /${prefixLength} network`);
  }
  const count = ipv4ToNumber(last) - ipv4ToNumber(first) + 1;
  if (count < 1) throw new Unreadable(`the first address ${first} comes after the last, ${last}`);
  if (count > POOL_ADDRESSES_MAX) {
    throw new Unreadable(`${count} addresses are more than the ${POOL_ADDRESSES_MAX} a pool can have`);
  }
  if (first === networkAddress(first, netmask)) throw new Unreadable(`${first} is the network's own address`);
  if (last === broadcastAddress(last, netmask)) throw new Unreadable(`${last} is the broadcast address`);
  return { first, last, prefixLength };
}

function readSettings(
  settings: readonly string[],
): Pick<AddressPool, 'gateway' | 'nameServers' | 'leaseTimeSeconds'> {
  let gateway: Ipv4 | undefined;
  let leaseTimeSeconds: number | undefined;
  const nameServers: Ipv4[] = [];
  for (const setting of settings) {
    const [name, value] = setting.split(/=(.*)/s);
    if (name === 'dns') nameServers.push(readAddress('dns', value));
    else if (name === 'gateway' && gateway === undefined) gateway = readAddress('gateway', value);
    else if (name === 'lease' && leaseTimeSeconds === undefined) leaseTimeSeconds = readDuration(value);
    else if (name === 'gateway' || name === 'lease') throw new Unreadable(`${name} is duplicated`);
    else throw new Unreadable(`${JSON.stringify(setting)} is unknown; use gateway=, dns= or lease=`);
  }
  if (nameServers.length > NAME_SERVERS_MAX) {
    throw new Unreadable(`${nameServers.length} name servers are more than ${NAME_SERVERS_MAX}`);
  }
  return {
    ...(gateway === undefined ? {} : { gateway }),
    nameServers,
    leaseTimeSeconds: leaseTimeSeconds ?? LEASE_SECONDS_DEFAULT,
  };
}

function readAddress(name: string, text = ''): Ipv4 {
  const address = parseIpv4(text);
  if (address === undefined) throw new Unreadable(`${name} is not an IPv4 address: ${JSON.stringify(text)}`);
  if (!isHostAddress(address)) throw new Unreadable(`${name} is not a host address: ${address}`);
  return address;
}

function readDuration(text = ''): number {
  const match = /^(\d{1,10})([smhd])$/.exec(text);
  if (match === null) {
    throw new Unreadable(`lease is a number with s, m, h or d, such as 1h, not ${JSON.stringify(text)}`);
  }
  const seconds = Number(match[1]) * (SECONDS_BY_UNIT[match[2] ?? ''] ?? 1);
  if (seconds < LEASE_SECONDS_MIN || seconds > LEASE_SECONDS_MAX) {
    throw new Unreadable(`a lease of ${text} is not between 60s and ${LEASE_SECONDS_MAX}s`);
  }
  return seconds;
}
