import { lookup } from 'node:dns/promises';
import { RMCP_PORT } from '@tinkerbell/ipmi';
import type { UdpAddress } from '@tinkerbell/platform-contract';
import { isIpv4, parseIpv6 } from '@tinkerbell/wire';
import { BmcError } from '../bmc-error.ts';
import type { BmcTarget } from '../driver.ts';
import type { IpmiDeps, IpmiOptions } from './ipmi-deps.ts';

const LINK_LOCAL = /^fe[89ab]/;

/** Returns the address of a BMC, as its datagrams show it, and the port. A name that has both kinds of addresses is that of the IPv4 address. */
export async function bmcAddress(
  deps: Pick<IpmiDeps, 'lookup'>,
  target: BmcTarget,
  options: IpmiOptions,
): Promise<UdpAddress> {
  const { host } = target;
  const port = options.port ?? target.port ?? RMCP_PORT;
  const known = isIpv4(host) ? host : parseIpv6(host);
  if (known !== undefined && LINK_LOCAL.test(known))
    throw new BmcError(
      'unsupported',
      `the link-local address ${host} is meaningless without a network interface; use another address of the BMC`,
    );
  if (known !== undefined) return { address: known, port };
  const resolve = deps.lookup ?? systemLookup;
  try {
    return { address: await resolve(host), port };
  } catch (cause) {
    throw new BmcError('unreachable', `the name ${host} has no address`, { cause });
  }
}

async function systemLookup(host: string): Promise<string> {
  const { address } = await lookup(host, { order: 'ipv4first' });
  return parseIpv6(address) ?? address;
}
