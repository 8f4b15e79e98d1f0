import type { BootConfig, BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { Dhcpv6Listener } from './dhcpv6-listener.ts';
import { createDhcpv6Timeline } from './dhcpv6-timeline.ts';
import { RouterAdvertiser } from './router-advertiser.ts';

interface Listener {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates the configured IPv6 listeners. @throws Error when the platform's part is missing, which is an error in the composition.
 */
export function createIpv6Listeners(
  deps: BootDeps,
  config: Pick<BootConfig, 'dhcpv6' | 'routerAdvertisements' | 'netboot'>,
  metrics: BootMetrics,
): readonly Listener[] {
  return [dhcpv6Of(deps, config, metrics), advertiserOf(deps, config, metrics)].filter(
    (each) => each !== undefined,
  );
}

function dhcpv6Of(
  deps: BootDeps,
  { dhcpv6: config, netboot }: Pick<BootConfig, 'dhcpv6' | 'netboot'>,
  metrics: BootMetrics,
): Listener | undefined {
  const { udp6 } = deps;
  if (config === undefined) return undefined;
  if (udp6 === undefined) throw new Error('DHCPv6 needs udp6');
  const timeline = createDhcpv6Timeline(deps, metrics);
  return new Dhcpv6Listener({ deps: { ...deps, udp6 }, config, settings: { ...config, netboot }, timeline });
}

function advertiserOf(
  { routerDiscovery: discovery, clock }: BootDeps,
  { routerAdvertisements: config }: Pick<BootConfig, 'routerAdvertisements'>,
  metrics: BootMetrics,
): Listener | undefined {
  if (config === undefined) return undefined;
  if (discovery === undefined) throw new Error('router advertisements need routerDiscovery');
  return new RouterAdvertiser({ discovery, clock, config, metrics });
}
