import type { UdpAddress } from './udp.ts';

/** A UDP datagram of somebody else, as it passed on the link. */
export interface SeenDatagram {
  /** Valid only during the callback. */
  readonly bytes: Uint8Array;
  /** Of the host that put it on this link: a router's, when it comes from behind one. Lower case, colon separated. */
  readonly fromMac: string;
  readonly from: UdpAddress;
  readonly to: UdpAddress;
}

export interface LinkLayerOptions {
  readonly networkInterface: string;
  /** Destination ports, at most 100; datagrams to others never leave the kernel. */
  readonly ports: readonly number[];
  /** How long a datagram may wait until it is looked at. */
  readonly pollMs: number;
}

/** Sees and sends IPv4 UDP on an Ethernet link without an address and without holding a port. */
export interface LinkLayer {
  /**
   * Sees what comes in, by broadcast or to us, also when another program has the port; not what this machine sends.
   * Rejects with a PlatformError of code `permission-denied`, `no-such-interface` or `unavailable`.
   */
  open(options: LinkLayerOptions, onDatagram: (datagram: SeenDatagram) => void): Promise<LinkLayerSocket>;
}

export interface LinkLayerSocket {
  /** From 0.0.0.0 to 255.255.255.255, as a host without an address. False when it could not be sent. */
  broadcast(payload: Uint8Array, ports: { readonly from: number; readonly to: number }): boolean;
  close(): void;
}
