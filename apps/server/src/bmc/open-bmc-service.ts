/** The service that controls BMCs, with a driver for each protocol. */
import { readFileSync } from 'node:fs';
import {
  BmcConnections,
  createHomeAssistantDriver,
  createIpmiDriver,
  createRpcDriver,
  type Drivers,
  type TrustOf,
} from '@tinkerbell/engine-bmc';
import { messageOf, type Random, type Service, type Udp } from '@tinkerbell/platform-contract';
import { openNodeEndpointHttp } from '@tinkerbell/platform-node';
import { createBmcService, type BmcServiceDeps } from '@tinkerbell/service-bmc';
import { SettingsError } from '../settings/settings-error.ts';
import type { BmcSettings } from './bmc-settings.ts';

type Deps = Omit<BmcServiceDeps, 'connections'> & { readonly udp: Udp; readonly random: Random };

/** Throws a SettingsError when the file of the authorities cannot be read. */
export function openBmcService(deps: Deps, settings: BmcSettings): Service {
  const trustOf = trustIn(settings.caFile);
  const connections = new BmcConnections({ ...deps, ...settings, trustOf, drivers: driversFor(deps) });
  return createBmcService({ ...deps, connections }, settings);
}

function driversFor({ clock, random, udp }: Deps): Drivers {
  const http = { clock, openHttp: openNodeEndpointHttp };
  return {
    ipmitool: createIpmiDriver({ clock, random, udp }),
    rpc: createRpcDriver(http),
    homeassistant: createHomeAssistantDriver(http),
  };
}

function trustIn(caFile: string | undefined): TrustOf {
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
