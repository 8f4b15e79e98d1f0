import type { RelaySettings } from '@tinkerbell/dhcp';
import type { Log, Udp } from '@tinkerbell/platform-contract';
import type { Ipv4 } from '@tinkerbell/wire';

export interface RelayDeps {
  readonly udp: Udp;
  readonly log: Log;
}

export interface RelayConfig {
  /** Where the clients are. */
  readonly downstream: readonly {
    readonly networkInterface: string;
    /** Ours on it, when it has several; absent: its first. */
    readonly address?: Ipv4;
  }[];
  /** Each gets every request. */
  readonly servers: readonly { readonly address: Ipv4 }[];
  readonly settings: RelaySettings;
}
