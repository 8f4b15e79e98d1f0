import { IPV4_ANY, type Ipv4 } from '@tinkerbell/wire';
import type { DhcpPacket } from './packet.ts';

/**
 * Returns an address of the client's network when a relay or proxy names one: link selection (RFC 3527) before subnet selection
 * (RFC 3011), both before giaddr. Returns undefined for a client on the server's own link.
 */
export function linkAddressOf({ options, giaddr }: DhcpPacket): Ipv4 | undefined {
  const said = options.relayAgentInformation?.linkSelection ?? options.subnetSelection;
  return said ?? (giaddr === IPV4_ANY ? undefined : giaddr);
}
