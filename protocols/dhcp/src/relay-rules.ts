import type { Ipv4 } from '@tinkerbell/wire';
import type { DhcpPacket } from './packet.ts';

/** A network interface with clients behind it. */
export interface RelayInterface {
  readonly name: string;
  /** The relay's address on it: giaddr, to which servers reply. */
  readonly address: Ipv4;
}

export interface RelaySettings {
  /** Packets that passed this many relays are dropped. The maximum is 16 (RFC 1542 section 4.1.1). */
  readonly hopsMax: number;
  /**
   * The giaddr in place of the network interface's own address, for servers that cannot reach that one (RFC 3527). The subnet is
   * then in `linkSelection` and the way back in the circuit id, so `information` is required, with link selection.
   */
  readonly relayAddress?: Ipv4;
  /** When absent, option 82 is neither added nor removed. */
  readonly information?: RelayInformationSettings;
}

export interface RelayInformationSettings {
  /** Sub-option 2 (RFC 3046). It is not sent when absent. */
  readonly remoteId?: Uint8Array;
  /** Sub-option 5 (RFC 3527): the network interface's address, from which servers choose the subnet. */
  readonly linkSelection: boolean;
  /** Sub-option 11 (RFC 5107): clients regard the relay as the server, so that they renew through it. */
  readonly serverIdentifierOverride: boolean;
  /**
   * The treatment of the option 82 of an earlier relay. RFC 3046 section 2.1.1 defines only `forward`, which keeps it unchanged.
   */
  readonly ofOtherRelays: 'forward' | 'append' | 'replace' | 'discard';
  /**
   * When true, a client's packet may have an option 82 from a switch between it and the relay, and keeps it. When false, the
   * packet is dropped.
   */
  readonly trustsClients: boolean;
}

/** A packet as received and as decoded. The relay decides by the decoded packet and changes the received one. */
export interface RelayMessage {
  readonly bytes: Uint8Array;
  readonly packet: DhcpPacket;
}

/** Every reason for which a relay forwards a packet to nobody. */
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
