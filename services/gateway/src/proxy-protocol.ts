/** PROXY protocol, version 2 (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt, section 2.2). */
import { isIPv4, isIPv6 } from 'node:net';

export interface ProxiedConnection {
  readonly client: { readonly address: string; readonly port: number };
  /** Where the client connected to. */
  readonly server: { readonly address: string; readonly port: number };
}

const SIGNATURE = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a] as const;
/** Version 2, PROXY. */
const COMMAND = 0x21;
const TCP_OVER_IPV4 = 0x11;
const TCP_OVER_IPV6 = 0x21;

/** What a connection begins with, so that the upstream knows who is at its other end. Both addresses are of one family. */
export function proxyHeader({ client, server }: ProxiedConnection): Uint8Array {
  const family = isIPv4(client.address) ? TCP_OVER_IPV4 : TCP_OVER_IPV6;
  const addresses = [...addressBytes(client.address), ...addressBytes(server.address)];
  const ports = [client.port >> 8, client.port & 0xff, server.port >> 8, server.port & 0xff];
  const rest = [...addresses, ...ports];
  return Uint8Array.from([...SIGNATURE, COMMAND, family, rest.length >> 8, rest.length & 0xff, ...rest]);
}

function addressBytes(address: string): readonly number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  if (!isIPv6(address)) throw new RangeError(`not an IP address: ${address}`);
  const [left = '', right] = address.replace(/%.*$/, '').split('::');
  const groups = (text: string): readonly number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(left), groups(right ?? '')];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 0xff]);
}
