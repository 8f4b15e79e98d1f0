/** The way to BMCs, with a driver for each protocol. */
import { readFileSync } from 'node:fs';
import {
  BmcConnections,
  createAmtDriver,
  createHomeAssistantDriver,
  createIpmiDriver,
  createRedfishDriver,
  createRpcDriver,
  nodeDigestHash,
  type Drivers,
  type TrustOf,
} from '@tinkerbell/engine-bmc';
import {
  messageOf,
  type Clock,
  type HttpClient,
  type Random,
  type Udp,
  type Udp6,
} from '@tinkerbell/platform-contract';
import { openNodeEndpointHttp, openNodeEndpointStream } from '@tinkerbell/platform-node';
import type { Store } from '@tinkerbell/store-contract';
import { SettingsError } from '../settings/settings-error.ts';
import type { BmcConnectionSettings } from './bmc-settings.ts';
import { mayFetchDisc } from './disc-images.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly udp: Udp;
  readonly udp6: Udp6;
  readonly httpClient: HttpClient;
}

/** Throws a SettingsError when the file of the authorities cannot be read. */
export function openBmcConnections(deps: Deps, settings: BmcConnectionSettings): BmcConnections {
  const trustOf = trustIn(settings);
  return new BmcConnections({ ...deps, ...settings, trustOf, drivers: driversFor(deps, settings) });
}

function driversFor(
  { clock, random, udp, udp6, httpClient }: Deps,
  { discImages }: BmcConnectionSettings,
): Drivers {
  const http = { clock, openHttp: openNodeEndpointHttp };
  return {
    ipmitool: createIpmiDriver({ clock, random, udp, udp6 }),
    gofish: createRedfishDriver(http),
    intelamt: createAmtDriver({
      ...http,
      openStream: openNodeEndpointStream,
      random,
      hash: nodeDigestHash,
      httpClient,
      mayFetch: mayFetchDisc(discImages),
    }),
    rpc: createRpcDriver(http),
    homeassistant: createHomeAssistantDriver(http),
  };
}

function trustIn({ caFile, trustsFirstUse }: BmcConnectionSettings): TrustOf {
  if (trustsFirstUse) return () => ({ kind: 'any' });
  const certificates = caFile === undefined ? [] : [readAuthorities(caFile)];
  return () => ({ kind: 'authorities', certificates });
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new SettingsError(`--bmc-ca-file: ${messageOf(thrown)}`);
  }
}
