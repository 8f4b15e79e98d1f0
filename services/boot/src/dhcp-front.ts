/** What a DHCP thread runs. */
export { createDhcpFront } from './dhcp/thread/front.ts';
export type { DhcpOrder, DhcpReport } from './dhcp/thread/messages.ts';
