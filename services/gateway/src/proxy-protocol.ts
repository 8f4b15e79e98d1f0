/** PROXY protocol, version 2 (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt, section 2.2). */
import { ipAddressBytes, parseIpAddress, type IpAddress } from '@tinkerbell/wire';

export interface ProxiedConnection {
  readonly client: { readonly address: string; readonly port: number };
  /** The address that the client connected to. */
  readonly server: { readonly address: string; readonly port: number };
}

const SIGNATURE = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a] as const;
/** Version 2, PROXY. */
const COMMAND = 0x21;
const TCP_OVER_IPV4 = 0x11;
const TCP_OVER_IPV6 = 0x21;

/**
 * Returns the header of a connection that gives the upstream the client's address. Both addresses are of one
 * family. Throws a RangeError on a text that is not an address.
 */
export function proxyHeader({ client, server }: ProxiedConnection): Uint8Array {
  const [from, to] = [addressOf(client.address), addressOf(server.address)];
  const family = from.bits === 32 ? TCP_OVER_IPV4 : TCP_OVER_IPV6;
  const ports = [client.port >> 8, client.port & 0xff, server.port >> 8, server.port & 0xff];
  const rest = [...ipAddressBytes(from), ...ipAddressBytes(to), ...ports];
  return Uint8Array.from([...SIGNATURE, COMMAND, family, rest.length >> 8, rest.length & 0xff, ...rest]);
}

function addressOf(text: string): IpAddress {
  const address = parseIpAddress(text);
  if (address === undefined) throw new RangeError(`not an IP address: ${text}`);
  return address;
}
