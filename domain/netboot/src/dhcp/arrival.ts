import type { Ipv4 } from '@tinkerbell/wire';

/** How a request reached the server. */
export interface Arrival {
  /** `boot-server`: UDP 4011, where PXE clients that have their address ask for the boot file (PXE 2.1 section 2.2). */
  readonly port: 'dhcp' | 'boot-server';
  /** Our addresses on the network interface it came in on; empty when that is unknown. */
  readonly localAddresses: readonly Ipv4[];
}
