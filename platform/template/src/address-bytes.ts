/** The bytes of a valid address: 4 of IPv4, also where it is written as `::ffff:10.0.0.1`, else 16. */
export function addressBytes(address: string): Uint8Array {
  if (!address.includes(':')) return ipv4Bytes(address);
  const lastColon = address.lastIndexOf(':') + 1;
  const tail = address.slice(lastColon);
  const plain = tail.includes('.') ? address.slice(0, lastColon) + ipv4Groups(tail) : address;
  const [before = '', after] = plain.split('::');
  const head = groupsOf(before);
  const end = groupsOf(after ?? '');
  const zeros: string[] = Array(after === undefined ? 0 : 8 - head.length - end.length).fill('0');
  const hex = [...head, ...zeros, ...end].map((group) => group.padStart(4, '0')).join('');
  const mapped = /^0{20}ffff(.{8})$/i.exec(hex)?.[1];
  return Buffer.from(mapped ?? hex, 'hex');
}

function ipv4Bytes(address: string): Uint8Array {
  return Uint8Array.from(address.split('.').map(Number));
}

function ipv4Groups(address: string): string {
  const hex = Buffer.from(ipv4Bytes(address)).toString('hex');
  return `${hex.slice(0, 4)}:${hex.slice(4)}`;
}

function groupsOf(side: string): string[] {
  return side === '' ? [] : side.split(':');
}
