import { readFileSync } from 'node:fs';
import type { NetworkInterface } from '@tinkerbell/platform-contract';

/**
 * Finds the server's address as machines see it: the address of the first network interface that DHCP is bound to, else of the one
 * with the default route, else of the first that is not loopback.
 */
export function publicIpv4(
  networkInterfaces: readonly NetworkInterface[],
  bound: readonly string[],
): string | undefined {
  const external = networkInterfaces.filter((one) => !one.internal);
  const named = (name: string | undefined) => external.find((one) => one.name === name);
  return (named(bound[0]) ?? named(defaultRouteInterface()) ?? external[0] ?? networkInterfaces[0])?.address;
}

/** Parses /proc/net/route and returns the interface whose destination and mask are 0. */
function defaultRouteInterface(): string | undefined {
  try {
    const lines = readFileSync('/proc/net/route', 'utf8').split('\n').slice(1);
    return lines
      .map((line) => line.split('\t'))
      .find((fields) => fields[1] === '00000000' && fields[7] === '00000000')?.[0];
  } catch {
    return undefined;
  }
}
