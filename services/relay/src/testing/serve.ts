/**
 * Runs a relay as configured by the program argument (JSON, a RelayConfig), for interoperability tests that
 * need it in its own network namespace. Prints `ready`, then its debug log, one JSON record per line.
 */
import type { Log } from '@tinkerbell/platform-contract';
import {
  createNodeAddressProbe,
  createNodeHttpClient,
  nodeClock,
  nodeUdp,
  tryNetwork,
} from '@tinkerbell/platform-node';
import { createRelayService, type RelayConfig, type RelayDeps } from '../index.ts';

const print = (message: string, fields: object = {}) =>
  void process.stdout.write(`${JSON.stringify({ message, ...fields })}\n`);
const log: Log = { debug: print, info: print, warn: print, error: print, child: () => log };
const config = JSON.parse(process.argv[2] ?? '{}') as RelayConfig;
const probe = createNodeAddressProbe();
const deps = {
  udp: nodeUdp,
  log,
  clock: nodeClock,
  httpClient: createNodeHttpClient(),
  tryNetwork: (...[trial, from]: Parameters<RelayDeps['tryNetwork']>) => tryNetwork(trial, probe, from),
};
const service = createRelayService(deps, config);
await service.start(new AbortController().signal);
process.stdout.write('ready\n');
