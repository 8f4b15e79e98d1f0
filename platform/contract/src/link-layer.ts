import type { UdpAddress } from './udp.ts';

/** A UDP datagram between other hosts, as it was seen on the link. */
export interface SeenDatagram {
  /** Valid only during the callback. */
  readonly bytes: Uint8Array;
  /** The MAC of the host that put the datagram on this link: the router's MAC when it was routed. Lower case, colon separated. */
  readonly fromMac: string;
  readonly from: UdpAddress;
  readonly to: UdpAddress;
}

export interface LinkLayerOptions {
  readonly networkInterface: string;
  /** Destination ports, at most 100. Datagrams to other ports never leave the kernel. */
  readonly ports: readonly number[];
  /** The longest time a datagram may wait until it is read. */
  readonly pollMs: number;
}

/** Receives and sends IPv4 UDP on an Ethernet link without an IP address and without holding a port. */
export interface LinkLayer {
  /**
   * Receives incoming broadcasts and datagrams for this host, even when another program holds the port. Datagrams that this
   * machine sends are not seen. Rejects with a PlatformError of code `permission-denied`, `no-such-interface` or `unavailable`.
   */
  open(options: LinkLayerOptions, onDatagram: (datagram: SeenDatagram) => void): Promise<LinkLayerSocket>;
}

export interface LinkLayerSocket {
  /** Sends from 0.0.0.0 to 255.255.255.255, as a host without an address. Returns false when the datagram could not be sent. */
  broadcast(payload: Uint8Array, ports: { readonly from: number; readonly to: number }): boolean;
  close(): void;
}
