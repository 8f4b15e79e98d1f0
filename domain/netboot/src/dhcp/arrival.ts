import type { Ipv4 } from '@tinkerbell/wire';

/** Describes how a request reached the server. */
export interface Arrival {
  /** `boot-server`: UDP 4011, on which PXE clients that have an address request the boot file (PXE 2.1 section 2.2). */
  readonly port: 'dhcp' | 'boot-server';
  /** The server's addresses on the receiving network interface. Empty when the interface is unknown. */
  readonly localAddresses: readonly Ipv4[];
}
