import { IPV4_ANY, IPV4_BROADCAST, type Ipv4, type Mac } from '@tinkerbell/wire';
import { clientMacOf, messageType, type DhcpPacket } from './packet.ts';

export const SERVER_PORT = 67;
export const CLIENT_PORT = 68;

/** Where a reply goes. `link-layer` needs a frame sent to the MAC without ARP; a platform that cannot may broadcast. */
export type ReplyDestination =
  | { readonly kind: 'relay' | 'unicast' | 'broadcast'; readonly address: Ipv4; readonly port: number }
  | {
      readonly kind: 'link-layer';
      readonly address: Ipv4;
      readonly port: number;
      readonly hardwareAddress: Mac;
    };

/**
 * RFC 2131 section 4.1: to the relay when there is one; a refusal else by broadcast; else to an address the client
 * already uses; else by broadcast when it asks so; else to the address it is about to get.
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
