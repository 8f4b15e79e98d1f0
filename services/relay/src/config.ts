import type { RelaySettings } from '@tinkerbell/dhcp';
import type { Clock, HttpClient, Log, Udp } from '@tinkerbell/platform-contract';
import type { Ipv4 } from '@tinkerbell/wire';
import type { TrialConfig, TrialDeps } from './trials/trial-loop.ts';

export interface RelayDeps {
  readonly udp: Udp;
  readonly log: Log;
  readonly clock: Clock;
  readonly httpClient: HttpClient;
  /** Used with `trials`. */
  readonly tryNetwork: TrialDeps['tryNetwork'];
}

export interface RelayConfig {
  /** The network interface of the clients. */
  readonly downstream: readonly {
    readonly networkInterface: string;
    /** The relay's address on it, when it has several. Absent: its first. */
    readonly address?: Ipv4;
  }[];
  /** Each server gets every request. */
  readonly servers: readonly { readonly address: Ipv4 }[];
  readonly settings: RelaySettings;
  /** The server that may make this relay try its ports and the addresses of machines. Absent: none. */
  readonly trials?: TrialConfig;
}
