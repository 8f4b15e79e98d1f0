import { HOPS_MAX, type RelayInterface } from '@tinkerbell/dhcp';
import { PlatformError, type NetworkInterface } from '@tinkerbell/platform-contract';
import { parseIpv4 } from '@tinkerbell/wire';
import type { RelayConfig } from './config.ts';
import type { ClientNetwork } from './trials/relay-order.ts';

/**
 * Returns the network interfaces of clients with the address that each is relayed for. Throws PlatformError when there is none.
 */
export function relayInterfaces(
  { downstream }: Pick<RelayConfig, 'downstream'>,
  present: readonly NetworkInterface[],
): readonly RelayInterface[] {
  return downstream.map(({ networkInterface: name, address }) => {
    const found = address ?? parseIpv4(present.find((one) => one.name === name)?.address ?? '');
    if (found !== undefined) return { name, address: found };
    const isThere = present.some((one) => one.name === name);
    throw new PlatformError(
      isThere ? 'unavailable' : 'no-such-interface',
      `cannot relay for ${name}: no such network interface, or it has no IPv4 address; servers answer to that address`,
    );
  });
}

/** Returns the own address and the netmask in each network of clients. */
export function clientNetworks(
  interfaces: readonly RelayInterface[],
  present: readonly NetworkInterface[],
): readonly ClientNetwork[] {
  return interfaces.flatMap(({ name, address }) => {
    const found = present.find((one) => one.name === name && one.address === address);
    const netmask = parseIpv4(found?.netmask ?? '');
    return netmask === undefined ? [] : [{ address, netmask }];
  });
}

/** Throws PlatformError for settings with which nothing would ever be relayed. */
export function checkRelayConfig(config: RelayConfig, present: readonly NetworkInterface[]): void {
  const { downstream, servers, settings } = config;
  const problem = (message: string) => new PlatformError('unavailable', `the relay cannot start: ${message}`);
  if (downstream.length === 0) throw problem('no client network interface is configured');
  if (servers.length === 0) throw problem('no server is configured');
  const own = servers.find(({ address }) => present.some((one) => one.address === address));
  if (own !== undefined)
    throw problem(`the server ${own.address} is this host; only one of both can have port 67`);
  const { hopsMax, relayAddress, information } = settings;
  if (hopsMax < 1 || hopsMax > HOPS_MAX) throw problem(`hopsMax is ${hopsMax}; it must be 1 to ${HOPS_MAX}`);
  if (relayAddress !== undefined && information?.linkSelection !== true)
    throw problem(`relayAddress ${relayAddress} needs option 82 with link selection, which names the subnet`);
}
