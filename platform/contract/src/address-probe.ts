/** Finds out whether an address that is about to be given to a machine is in use already. */
export interface AddressProbe {
  /**
   * Who has the address, or undefined when nobody was found within `timeoutMs`, or nothing can be sent. Never rejects. The
   * MAC is known of hosts on the same link only.
   */
  holderOf(address: string, timeoutMs: number): Promise<AddressHolder | undefined>;
}

export interface AddressHolder {
  /** Lower case, colon separated. */
  readonly mac?: string;
}
