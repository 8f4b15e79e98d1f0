/** Finds out whether an address is already in use before it is assigned to a machine. */
export interface AddressProbe {
  /**
   * Returns the host that uses the address. Returns undefined when no host answered within `timeoutMs`, or when nothing can be
   * sent. Never rejects. The MAC is known only for hosts on the same link.
   */
  holderOf(address: string, timeoutMs: number): Promise<AddressHolder | undefined>;
}

export interface AddressHolder {
  /** The MAC in lower case, colon separated. */
  readonly mac?: string;
}
