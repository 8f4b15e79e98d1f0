/** Where a pull from another registry may connect to. A registry is named by the operator, and may redirect anywhere. */
import type { HttpTarget } from '@tinkerbell/platform-contract';
import { ipNetwork, ipNetworkContains, parseIpAddress } from '@tinkerbell/wire';

/** Clouds serve credentials of a machine there. */
const LINK_LOCAL = [ipNetwork('169.254.0.0/16'), ipNetwork('fe80::/10')];

/** Never this server itself: a request to it carries the address of its own machine. */
export function mayReach({ address, isThisMachine }: Pick<HttpTarget, 'address' | 'isThisMachine'>): boolean {
  const parsed = parseIpAddress(address);
  return (
    !isThisMachine &&
    parsed !== undefined &&
    !LINK_LOCAL.some((network) => ipNetworkContains(network, parsed))
  );
}
