export { decodePacket, PACKET_BYTES_MAX } from './decode-packet.ts';
export {
  encodePacket,
  DATAGRAM_BYTES_DEFAULT,
  PACKET_BYTES_MIN,
  type EncodedPacket,
  type ReplyLimits,
} from './encode-packet.ts';
export { CLIENT_PORT, replyDestination, SERVER_PORT, type ReplyDestination } from './reply-destination.ts';
export { clientMacOf, emptyPacket, messageType, type DhcpPacket } from './packet.ts';
export { malformedOptionsOf, optionTable, type DhcpOptions, type OptionName } from './option-table.ts';
export { readSubOptions, writeSubOptions, type SubOption } from './sub-options.ts';
export { isDomainName } from './domain-search.ts';
export type { ClasslessRoute } from './classless-routes.ts';
export type { RelayAgentInformation } from './relay-agent.ts';
export { linkAddressOf } from './link-address.ts';
export type { UserClass } from './user-class.ts';
export { machineUuidOf, type ClientNetworkInterface } from './pxe-identity.ts';
export { relayReply, type RelayReplyDecision } from './relay-reply.ts';
export { HOPS_MAX, relayRequest, type RelayRequestDecision } from './relay-request.ts';
export type {
  RelayDropReason,
  RelayInformationSettings,
  RelayInterface,
  RelaySettings,
} from './relay-rules.ts';
