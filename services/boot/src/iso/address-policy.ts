import type { HttpTarget } from '@tinkerbell/platform-contract';
import {
  ipNetwork,
  ipNetworkContains,
  ipv4Within,
  parseIpAddress,
  type IpAddress,
  type IpNetwork,
} from '@tinkerbell/wire';

/** Special addresses that are allowed as a source (iso-allow-source). */
export interface AllowedSources {
  /** Lower case. */
  readonly hostNames: readonly string[];
  readonly networks: readonly IpNetwork[];
}

/** This machine, its own segment, and broadcast: a URL written by someone else must not reach them. RFC 6890. */
const SPECIAL = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/96',
  'fe80::/10',
  'ff00::/8',
].map(ipNetwork);
/** IPv6 addresses that end in an IPv4 address and lead to it. RFC 6052. */
const NAT64 = ipNetwork('64:ff9b::/96');

/**
 * Returns whether an image may be fetched from this address. The operator's own URL (`isOwnChoice`) may name any host. Its
 * redirects, and the URLs of Hardware, may not lead to loopback, link-local or multicast addresses unless they are listed. An
 * address of this machine must be listed itself or by its name: a listed network that contains it is not enough.
 */
export function mayFetchFrom(
  { hostname, address, isThisMachine, redirects }: HttpTarget,
  { isOwnChoice, allowed }: { readonly isOwnChoice: boolean; readonly allowed: AllowedSources },
): boolean {
  if (isOwnChoice && redirects === 0) return true;
  if (allowed.hostNames.includes(hostname.toLowerCase())) return true;
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return false;
  const holding = allowed.networks.filter((network) => ipNetworkContains(network, parsed));
  if (isThisMachine) return holding.some(({ prefixLength }) => prefixLength === parsed.bits);
  return holding.length > 0 || !isSpecial(parsed);
}

function isSpecial(address: IpAddress): boolean {
  const isEmbedded = address.bits === 128 && ipNetworkContains(NAT64, address);
  const reached = isEmbedded ? ipv4Within(address.value) : address;
  return SPECIAL.some((network) => ipNetworkContains(network, reached));
}
