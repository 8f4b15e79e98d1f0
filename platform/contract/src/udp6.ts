import type { UdpAddress, UdpHandlers } from './udp.ts';

/** A socket on one network interface, or on all. Link-local addresses are meaningless without one. */
export interface Udp6Options {
  /** 0 lets the platform choose a port. */
  readonly port: number;
  readonly networkInterface?: string;
  /** The multicast groups to receive on that network interface. Default: none. */
  readonly groups?: readonly string[];
}

/** Addresses are IPv6 text without a zone, because the socket's network interface applies. */
export interface Udp6Socket extends AsyncDisposable {
  readonly local: UdpAddress;
  /** Queues one datagram. A failure to send is reported to the `onError` given at open. */
  send(bytes: Uint8Array, to: UdpAddress): void;
  close(): Promise<void>;
}

export interface Udp6 {
  /** Rejects with a PlatformError of code `address-in-use`, `permission-denied`, `no-such-interface` or `unavailable`. */
  open(options: Udp6Options, handlers: UdpHandlers): Promise<Udp6Socket>;
  /**
   * Returns the MAC in lower case, colon separated. Returns undefined when the network interface does not exist or has no address
   * yet.
   */
  macOf(networkInterface: string): string | undefined;
}
