import type { Ipv6 } from '@tinkerbell/wire';
import type { Dhcpv6Options } from './option-table.ts';

export const CLIENT_PORT = 546;
export const SERVER_PORT = 547;

/** RFC 8415 section 7.3. */
export const messageType = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  renew: 5,
  rebind: 6,
  reply: 7,
  release: 8,
  decline: 9,
  reconfigure: 10,
  informationRequest: 11,
  relayForward: 12,
  relayReply: 13,
} as const;

/** RFC 8415 section 21.13. */
export const statusCode = {
  success: 0,
  unspecifiedFailure: 1,
  noAddressesAvailable: 2,
  noBinding: 3,
  notOnLink: 4,
} as const;

/** Between client and server, RFC 8415 section 8. */
export interface Dhcpv6Message {
  readonly type: number;
  /** 24 bits. */
  readonly transactionId: number;
  readonly options: Dhcpv6Options;
}

/** What a relay puts around a message, RFC 8415 section 9. */
export interface RelayEnvelope {
  readonly hops: number;
  /** An address on the client's link; `::` when the relay leaves it to the interface id. */
  readonly linkAddress: Ipv6;
  /** Who sent to the relay: the client, or the relay before. */
  readonly peerAddress: Ipv6;
  /** Without the message itself. */
  readonly options: Dhcpv6Options;
}
