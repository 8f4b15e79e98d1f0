import type { Ipv4 } from '@tinkerbell/wire';
import type { DhcpPacket } from './packet.ts';

/** A network interface with clients behind it. */
export interface RelayInterface {
  readonly name: string;
  /** Ours on it: giaddr, and where servers answer to. */
  readonly address: Ipv4;
}

export interface RelaySettings {
  /** Packets that passed this many relays are dropped: at most 16 (RFC 1542 section 4.1.1). */
  readonly hopsMax: number;
  /**
   * giaddr in place of the network interface's own address, for servers that cannot reach that one (RFC 3527). The subnet is then in
   * `linkSelection` and the way back in the circuit id, so that `information` must be there, with link selection.
   */
  readonly relayAddress?: Ipv4;
  /** Absent: option 82 is neither added nor taken out. */
  readonly information?: RelayInformationSettings;
}

export interface RelayInformationSettings {
  /** Sub-option 2 (RFC 3046); absent: not sent. */
  readonly remoteId?: Uint8Array;
  /** Sub-option 5 (RFC 3527): the network interface's address, for the choice of the subnet. */
  readonly linkSelection: boolean;
  /** Sub-option 11 (RFC 5107): clients take us for the server, so that they renew through us. */
  readonly serverIdentifierOverride: boolean;
  /** What happens to the option 82 of a relay before us. RFC 3046 section 2.1.1 knows only `forward`: it stays as it is. */
  readonly ofOtherRelays: 'forward' | 'append' | 'replace' | 'discard';
  /** True: a client's packet may have an option 82, from a switch between it and us, and keeps it. False: it is dropped. */
  readonly trustsClients: boolean;
}

/** A packet as it came and as it was read: the relay decides by the one and changes the other. */
export interface RelayMessage {
  readonly bytes: Uint8Array;
  readonly packet: DhcpPacket;
}

/** Every cause for which a relay passes a packet to nobody. */
export type RelayDropReason =
  | 'too-many-hops'
  | 'giaddr-invalid'
  | 'giaddr-is-ours'
  | 'not-from-a-client-network'
  | 'information-from-client'
  | 'information-from-relay'
  | 'not-for-a-client-network'
  | 'circuit-unknown';

export interface RelayDrop {
  readonly kind: 'drop';
  readonly reason: RelayDropReason;
  readonly message: string;
}

export function drop(reason: RelayDropReason, message: string): RelayDrop {
  return { kind: 'drop', reason, message };
}
