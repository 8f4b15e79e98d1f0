import { apiBenchmark } from './api.ts';
import { bmcBenchmark } from './bmc.ts';
import { consoleBenchmark } from './console.ts';
import { demoBenchmark } from './demo.ts';
import { dhcpBenchmark } from './dhcp.ts';
import { filesBenchmark } from './files.ts';
import { fleetBenchmark } from './fleet.ts';
import { gatewayClientsBenchmark } from './gateway-clients.ts';
import { gatewayBenchmark } from './gateway.ts';
import { goTemplateBenchmark } from './go-template.ts';
import { growthBenchmark } from './growth.ts';
import { hookBenchmark } from './hook.ts';
import { hostileBenchmark } from './hostile.ts';
import { imageBenchmark } from './image.ts';
import { image2diskBenchmark } from './image2disk.ts';
import { installBenchmark } from './install.ts';
import { metadataBenchmark } from './metadata.ts';
import { scaleBenchmark } from './scale.ts';
import { scriptsBenchmark } from './scripts.ts';
import { serverBenchmark } from './server.ts';
import { simulationBenchmark } from './simulation.ts';
import { stormBenchmark } from './storm.ts';
import { tinkBenchmark } from './tink.ts';
import { tftpBenchmark } from './tftp.ts';
import { workflowsBenchmark } from './workflows.ts';
import type { Benchmark } from './benchmark.ts';

export const BENCHMARKS: readonly Benchmark[] = [
  demoBenchmark,
  image2diskBenchmark,
  imageBenchmark,
  serverBenchmark,
  tinkBenchmark,
  installBenchmark,
  apiBenchmark,
  growthBenchmark,
  scaleBenchmark,
  workflowsBenchmark,
  dhcpBenchmark,
  tftpBenchmark,
  scriptsBenchmark,
  metadataBenchmark,
  stormBenchmark,
  simulationBenchmark,
  fleetBenchmark,
  bmcBenchmark,
  consoleBenchmark,
  gatewayBenchmark,
  gatewayClientsBenchmark,
  filesBenchmark,
  hostileBenchmark,
  hookBenchmark,
  goTemplateBenchmark,
];

/** Several benchmarks under one name. Their rows begin with the name of each. */
export const GROUPS: Readonly<Record<string, readonly Benchmark[]>> = {
  boot: [dhcpBenchmark, tftpBenchmark, scriptsBenchmark, stormBenchmark],
  all: BENCHMARKS,
};
