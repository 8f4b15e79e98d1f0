/** Answers router solicitations on `s0`, and announces DHCPv6 there. Prints `ready`. */
import { MetricSet } from '@tinkerbell/platform-metrics';
import { nodeClock, nodeRouterDiscovery } from '@tinkerbell/platform-node';
import { createBootMetrics } from '../metrics.ts';
import { RouterAdvertiser } from '../ipv6/router-advertiser.ts';

const advertiser = new RouterAdvertiser({
  discovery: nodeRouterDiscovery,
  clock: nodeClock,
  config: { networkInterfaces: ['s0'], hasDhcpv6: true },
  metrics: createBootMetrics(new MetricSet()),
});
await advertiser.start();
process.stdout.write('ready\n');
