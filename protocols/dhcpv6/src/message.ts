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

/** A message between client and server, RFC 8415 section 8. */
export interface Dhcpv6Message {
  readonly type: number;
  /** 24 bits. */
  readonly transactionId: number;
  readonly options: Dhcpv6Options;
}

/** The envelope that a relay puts around a message, RFC 8415 section 9. */
export interface RelayEnvelope {
  readonly hops: number;
  /** An address on the client's link, or `::` when only the interface id identifies the link. */
  readonly linkAddress: Ipv6;
  /** The sender of the relay's packet: the client, or the previous relay. */
  readonly peerAddress: Ipv6;
  /** Does not include the message itself. */
  readonly options: Dhcpv6Options;
}
