/** IPv6 router discovery (RFC 4861) on one network interface. Hosts ask whether a router exists. */
export interface RouterDiscovery {
  /**
   * `onSolicitation` is called when a host asks. Hosts that ask within the same 0.1 s may be reported once. Rejects with a
   * PlatformError of code `permission-denied`, `no-such-interface` or `unavailable`.
   */
  open(networkInterface: string, onSolicitation: () => void): Promise<RouterDiscoverySocket>;
}

export interface RouterDiscoverySocket {
  /** Sends an ICMPv6 message, given without its checksum, to all hosts on the link. Returns false when it could not be sent. */
  advertise(message: Uint8Array): boolean;
  close(): void;
}
