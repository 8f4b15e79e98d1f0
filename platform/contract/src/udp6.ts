import type { UdpAddress, UdpHandlers } from './udp.ts';

/** A socket on one network interface: IPv6's link-local addresses mean nothing without one. */
export interface Udp6Options {
  /** 0 lets the platform choose. */
  readonly port: number;
  readonly networkInterface: string;
  /** Multicast groups to receive on that network interface. */
  readonly groups: readonly string[];
}

/** Addresses are IPv6 text without a zone: the socket's network interface is meant. */
export interface Udp6Socket extends AsyncDisposable {
  readonly local: UdpAddress;
  /** Queues one datagram. A failure to send is reported through the `onError` given at open. */
  send(bytes: Uint8Array, to: UdpAddress): void;
  close(): Promise<void>;
}

export interface Udp6 {
  /** Rejects with a PlatformError of code `address-in-use`, `permission-denied`, `no-such-interface` or `unavailable`. */
  open(options: Udp6Options, handlers: UdpHandlers): Promise<Udp6Socket>;
  /** Lower-case, colon separated; undefined when there is no such network interface, or it has no address yet. */
  macOf(networkInterface: string): string | undefined;
}
