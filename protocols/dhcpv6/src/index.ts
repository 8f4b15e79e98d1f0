export { decodeMessage, MESSAGE_BYTES_MAX } from './decode-message.ts';
export { encodeMessage } from './encode-message.ts';
export { duidOfMac, macOfDuid, macOfLinkLocal } from './duid.ts';
export {
  CLIENT_PORT,
  messageType,
  SERVER_PORT,
  statusCode,
  type Dhcpv6Message,
  type RelayEnvelope,
} from './message.ts';
export type { IdentityAssociation } from './identity-association.ts';
export { optionTable, type Dhcpv6Options, type VendorClass } from './option-table.ts';
export { unwrapRelays, wrapForRelays, type RelayedMessage } from './relay-envelopes.ts';
