/** Which addresses lead to this machine, in every spelling that a resolver or a URL may use for them. */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Whether a connection to this address ends at this machine: loopback, the unspecified address, or one of its network interfaces;
 * IPv4 also embedded in IPv6 (mapped and compatible, RFC 4291 section 2.5.5; NAT64, RFC 6052; 6to4, RFC 3056).
 */
export function isOwnAddress(address: string, interfaces = networkInterfaces()): boolean {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  if (version === 0) return false;
  return ownAddresses(interfaces).check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

function ownAddresses(interfaces: ReturnType<typeof networkInterfaces>): BlockList {
  const own = new BlockList();
  addIpv4(own, '127.0.0.0', 8);
  addIpv4(own, '0.0.0.0', 8);
  own.addAddress('::1', 'ipv6');
  for (const { address, family } of Object.values(interfaces).flatMap((each) => each ?? [])) {
    if (family === 'IPv4') addIpv4(own, address, 32);
    else own.addAddress(address.split('%')[0] ?? address, 'ipv6');
  }
  return own;
}

function addIpv4(own: BlockList, address: string, prefix: number): void {
  own.addSubnet(address, prefix, 'ipv4');
  const [high = '', low = ''] =
    Buffer.from(address.split('.').map(Number)).toString('hex').match(/.{4}/g) ?? [];
  for (const before of ['::', '::ffff:', '64:ff9b::'])
    own.addSubnet(`${before}${high}:${low}`, 96 + prefix, 'ipv6');
  own.addSubnet(`2002:${high}:${low}::`, 16 + prefix, 'ipv6');
}
