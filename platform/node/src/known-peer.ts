import type { UdpAddress, UdpPeer } from '@tinkerbell/platform-contract';

/** Caches addresses as numbers: enough for a rack, and bounded during a flood. */
const KNOWN_ADDRESSES_MAX = 4_096;
/** The number of cached peers, a power of two. Each peer has one slot, and two peers with the same slot replace each other. */
const PLACE_BITS = 14;

/** The sender of a datagram. Replies to it need no lookup of the numbers. */
class KnownPeer implements UdpPeer {
  readonly address: string;
  readonly port: number;
  readonly key: string;
  /** The address and the port as stored in a struct sockaddr_in, read as numbers in host order. */
  readonly addressWord: number;
  readonly portWord: number;

  constructor(addressWord: number, portWord: number) {
    const bytes = [addressWord, addressWord >> 8, addressWord >> 16, addressWord >> 24];
    this.address = bytes.map((byte) => byte & 0xff).join('.');
    this.port = swapped(portWord);
    this.key = `${this.address}:${this.port}`;
    this.addressWord = addressWord;
    this.portWord = portWord;
  }
}

const peers = Array.from<KnownPeer | undefined>({ length: 2 ** PLACE_BITS });

/** The address as a signed 32-bit number, which is the fastest kind. */
export function peerFrom(addressWord: number, portWord: number): UdpPeer {
  const place = (addressWord ^ Math.imul(portWord, 0x9e37_79b1)) >>> (32 - PLACE_BITS);
  const known = peers[place];
  if (known?.addressWord === addressWord && known.portWord === portWord) return known;
  return (peers[place] = new KnownPeer(addressWord, portWord));
}

/** `address` is dotted IPv4. */
export function peerNamed(address: string, port: number): UdpPeer {
  return peerFrom(wordOf(address), swapped(port));
}

export function addressWordOf(to: UdpAddress): number {
  return to instanceof KnownPeer ? to.addressWord : wordOf(to.address);
}

export function portWordOf(to: UdpAddress): number {
  return to instanceof KnownPeer ? to.portWord : swapped(to.port);
}

function swapped(port: number): number {
  return ((port & 0xff) << 8) | (port >> 8);
}

const words = new Map<string, number>();

function wordOf(address: string): number {
  let word = words.get(address);
  if (word === undefined) {
    if (words.size >= KNOWN_ADDRESSES_MAX) words.clear();
    word = address.split('.').reduceRight((sum, part) => (sum << 8) | Number(part), 0);
    words.set(address, word);
  }
  return word;
}
