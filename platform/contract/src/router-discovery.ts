/** IPv6 router discovery (RFC 4861) on one network interface: hosts ask whether there is a router. */
export interface RouterDiscovery {
  /**
   * `onSolicitation` is called when a host asks; hosts that ask within the same tenth of a second may count as one. Rejects with a
   * PlatformError of code `permission-denied`, `no-such-interface` or `unavailable`.
   */
  open(networkInterface: string, onSolicitation: () => void): Promise<RouterDiscoverySocket>;
}

export interface RouterDiscoverySocket {
  /** Sends an ICMPv6 message, without its checksum, to all hosts there. False when it could not be sent. */
  advertise(message: Uint8Array): boolean;
  close(): void;
}
