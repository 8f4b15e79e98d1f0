import { readdirSync } from 'node:fs';
import { PlatformError } from '@tinkerbell/platform-contract';

const LINKS = '/sys/class/net';

/** Names the network interfaces of this host, also those without an address. */
export function noSuchInterface(networkInterface: string | undefined): PlatformError {
  return new PlatformError(
    'no-such-interface',
    `there is no network interface ${networkInterface}; this host has ${linksOfHost().join(', ')}`,
  );
}

/** Files there, such as `bonding_masters`, are no links. */
function linksOfHost(): string[] {
  const entries = readdirSync(LINKS, { withFileTypes: true });
  return entries.filter((one) => !one.isFile()).map(({ name }) => name);
}
