import type { RelaySettings } from '@tinkerbell/dhcp';
import type { Log, Udp } from '@tinkerbell/platform-contract';
import type { Ipv4 } from '@tinkerbell/wire';

export interface RelayDeps {
  readonly udp: Udp;
  readonly log: Log;
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
}
