import type { BmcConnections } from '@tinkerbell/engine-bmc';
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import type { Journal, Store, View } from '@tinkerbell/store-contract';
import type { BmcMetrics } from './metrics.ts';

export interface BmcServiceDeps {
  readonly store: Store;
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly connections: BmcConnections;
}

export interface BmcServiceConfig {
  /** How often the power state of each machine is read. */
  readonly powerCheckMs: number;
  /** How often the parts of each machine are read. Undefined: never. */
  readonly inventoryMs: number | undefined;
  /** The certificate that a BMC has at the first contact becomes the only one that is accepted. */
  readonly pinsFirstCertificate: boolean;
  /** The URL of this server as BMCs reach it, without a slash at its end. Undefined: BMCs send no events. */
  readonly eventsUrl: string | undefined;
  /** BMCs that are called at the same time. */
  readonly atOnce: number;
}

/** What the reconcilers use. */
export interface Reconciling extends BmcServiceDeps {
  readonly config: BmcServiceConfig;
  readonly metrics: BmcMetrics;
}
