import { IPV4_ANY, IPV4_BROADCAST, type Ipv4, type Mac } from '@tinkerbell/wire';
import { clientMacOf, messageType, type DhcpPacket } from './packet.ts';

export const SERVER_PORT = 67;
export const CLIENT_PORT = 68;

/**
 * The destination of a reply. `link-layer` needs a frame sent to the MAC without ARP. A platform that cannot send one may
 * broadcast.
 */
export type ReplyDestination =
  | { readonly kind: 'relay' | 'unicast' | 'broadcast'; readonly address: Ipv4; readonly port: number }
  | {
      readonly kind: 'link-layer';
      readonly address: Ipv4;
      readonly port: number;
      readonly hardwareAddress: Mac;
    };

/**
 * RFC 2131 section 4.1. The reply goes to the relay when there is one. Otherwise a refusal is broadcast. Other replies go to the
 * address that the client already uses, by broadcast when the client requests it, or to the address that is assigned.
 */
export function replyDestination(request: DhcpPacket, reply: DhcpPacket): ReplyDestination {
  if (request.giaddr !== IPV4_ANY) return { kind: 'relay', address: request.giaddr, port: SERVER_PORT };
  if (reply.options.messageType === messageType.refuse) return BROADCAST;
  if (request.ciaddr !== IPV4_ANY) return { kind: 'unicast', address: request.ciaddr, port: CLIENT_PORT };
  const hardwareAddress = clientMacOf(request);
  if (request.broadcast || hardwareAddress === undefined || reply.yiaddr === IPV4_ANY) return BROADCAST;
  return { kind: 'link-layer', address: reply.yiaddr, port: CLIENT_PORT, hardwareAddress };
}

const BROADCAST: ReplyDestination = { kind: 'broadcast', address: IPV4_BROADCAST, port: CLIENT_PORT };
