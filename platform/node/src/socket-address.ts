import { AF_INET } from './socket-numbers.ts';

/** struct sockaddr_in: family in host order, port and address in network order. */
export function socketAddress(address: string, port: number): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, port);
  for (const [index, part] of address.split('.').entries()) bytes[4 + index] = Number(part);
  return bytes;
}
