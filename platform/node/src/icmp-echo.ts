/** ICMP echo messages, RFC 792. */

const HEADER_BYTES = 8;
const ECHO_REPLY = 0;
const ECHO_REQUEST = 8;

/** The fields that distinguish echoes, 16 bits each. */
export interface Echo {
  readonly identifier: number;
  readonly sequence: number;
}

export function echoRequest({ identifier, sequence }: Echo): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, ECHO_REQUEST);
  view.setUint16(4, identifier);
  view.setUint16(6, sequence);
  const sum = (ECHO_REQUEST << 8) + identifier + sequence;
  const folded = (sum & 0xffff) + (sum >>> 16);
  view.setUint16(2, ~((folded & 0xffff) + (folded >>> 16)) & 0xffff);
  return bytes;
}

/**
 * Returns the echo that an IPv4 packet from a raw socket replies to, and the sender of the reply. Returns undefined for any other
 * packet.
 */
export function echoReplyOf(packet: Uint8Array): (Echo & { readonly from: string }) | undefined {
  const headerBytes = ((packet[0] ?? 0) & 15) * 4;
  if (headerBytes < 20 || packet.length < headerBytes + HEADER_BYTES) return undefined;
  if (packet[headerBytes] !== ECHO_REPLY) return undefined;
  const word = (at: number) => ((packet[at] ?? 0) << 8) | (packet[at + 1] ?? 0);
  return {
    identifier: word(headerBytes + 4),
    sequence: word(headerBytes + 6),
    from: [...packet.subarray(12, 16)].join('.'),
  };
}
