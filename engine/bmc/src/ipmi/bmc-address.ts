import { lookup } from 'node:dns/promises';
import { RMCP_PORT } from '@tinkerbell/ipmi';
import type { UdpAddress } from '@tinkerbell/platform-contract';
import { isIpv4, parseIpv6 } from '@tinkerbell/wire';
import { BmcError } from '../bmc-error.ts';
import type { BmcTarget } from '../driver.ts';
import type { IpmiDeps, IpmiOptions } from './ipmi-deps.ts';

/** Returns the IPv4 address and the port of a BMC. The UDP contract has no IPv6. */
export async function bmcAddress(
  deps: Pick<IpmiDeps, 'lookup'>,
  target: BmcTarget,
  options: IpmiOptions,
): Promise<UdpAddress> {
  const { host } = target;
  const port = options.port ?? target.port ?? RMCP_PORT;
  if (isIpv4(host)) return { address: host, port };
  if (parseIpv6(host) !== undefined) {
    throw new BmcError(
      'unsupported',
      `IPMI to the IPv6 address ${host} is not supported; use an IPv4 address`,
    );
  }
  const resolve = deps.lookup ?? systemLookup;
  try {
    return { address: await resolve(host), port };
  } catch (cause) {
    throw new BmcError('unreachable', `the name ${host} has no IPv4 address`, { cause });
  }
}

async function systemLookup(host: string): Promise<string> {
  const found = await lookup(host, { family: 4 });
  return found.address;
}
