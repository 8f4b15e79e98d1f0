/** Creates almost valid DHCP packets: good ones, changed as networks, firmware and attackers change them. */
import { readdirSync, readFileSync } from 'node:fs';
import { hexToBytes, ipv4 } from '@tinkerbell/wire';
import { packet, UEFI } from './packets.ts';

/** Returns numbers from 0 to below `limit`, the same for the same seed (Mulberry32). */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

type Random = ReturnType<typeof createRandom>;

const PACKET_BYTES_MAX = 4200;
const OPTIONS_AT = 240;
/** ciaddr, yiaddr, siaddr and giaddr. */
const ADDRESSES_AT = [12, 16, 20, 24];
const ADDRESSES = [
  '7f000001',
  'e0000001',
  'ffffffff',
  'c0a84d01',
  'c0a84d0a',
  'c0a84d64',
  'c0a84dff',
  '0a010001',
];
const CODES = [
  0, 1, 12, 43, 50, 51, 52, 53, 54, 55, 57, 60, 61, 77, 81, 82, 93, 94, 97, 118, 119, 121, 175, 254, 255,
];

/** Packets that firmware, iPXE and operating systems sent, and requests with every option that a server reads. */
export function seedPackets(): readonly Uint8Array[] {
  const folder = new URL('../../../../protocols/dhcp/testdata/', import.meta.url);
  const captures = readdirSync(folder).map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return hexToBytes(text.replaceAll(/#.*/g, '')) ?? new Uint8Array();
  });
  const relay = hexToBytes('0104deadbeef 0504c0a84d00 0b04c0a84d01') ?? new Uint8Array();
  const rich = {
    ...UEFI,
    requestedAddress: ipv4('192.168.77.100'),
    maximumMessageBytes: 1500,
    clientIdentifier: Uint8Array.of(1, 2, 0, 0x5e, 0x10, 0, 1),
    parameterRequestList: [1, 3, 6, 12, 15, 42, 43, 60, 66, 67, 119, 121],
    relayAgentInformation: { bytes: relay, subOptions: [] },
    subnetSelection: ipv4('192.168.77.0'),
    userClass: { classes: ['iPXE'], lengthPrefixed: false },
    ipxe: [{ code: 0x13, bytes: Uint8Array.of(1) }],
    vendorSpecific: [{ code: 1, bytes: Uint8Array.of(0) }],
    domainSearch: ['lab.example'],
  };
  const types = [1, 3, 4, 7, 8].flatMap((messageType) => [
    packet({ messageType }),
    packet({ ...rich, messageType }),
    packet({ messageType, serverIdentifier: ipv4('192.168.77.1'), requestedAddress: ipv4('192.168.77.10') }),
    packet({ messageType }, { ciaddr: ipv4('192.168.77.10'), broadcast: false }),
  ]);
  return [...captures, ...types];
}

/** Returns a changed copy of one of `seeds`, sometimes of two. */
export function mutated(seeds: readonly Uint8Array[], random: Random): Uint8Array {
  const seed = () => seeds[random(seeds.length)] ?? new Uint8Array();
  let bytes: Uint8Array = seed().slice();
  const changes = random(6);
  for (let change = 0; change < changes; change++) {
    const mutate = MUTATIONS[random(MUTATIONS.length)] ?? flipBit;
    bytes = mutate(bytes, random, seed());
  }
  // Unknown MACs, and some of a few that recur.
  if (bytes.length > 34 && random(3) > 0) bytes[33] = random(64);
  return bytes.subarray(0, PACKET_BYTES_MAX);
}

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function inserted(bytes: Uint8Array, at: number, ...pieces: readonly Uint8Array[]): Uint8Array {
  return joined(bytes.subarray(0, at), ...pieces, bytes.subarray(at));
}

function randomBytes(length: number, random: Random): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = random(256);
  return bytes;
}

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  randomByte,
  cut,
  address,
  lengthByte,
  insertOption,
  overload,
  splice,
  repeatPiece,
  fieldOptions,
  grow,
];

function flipBit(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(bytes.length || 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
  return bytes;
}

function randomByte(bytes: Uint8Array, random: Random): Uint8Array {
  bytes[random(bytes.length || 1)] = random(256);
  return bytes;
}

function cut(bytes: Uint8Array, random: Random): Uint8Array {
  return bytes.subarray(0, random(bytes.length + 1));
}

function address(bytes: Uint8Array, random: Random): Uint8Array {
  const at = ADDRESSES_AT[random(ADDRESSES_AT.length)] ?? 12;
  const value = hexToBytes(ADDRESSES[random(ADDRESSES.length)] ?? '') ?? [];
  for (const [index, octet] of value.entries()) if (at + index < bytes.length) bytes[at + index] = octet;
  return bytes;
}

/** Changes the length of an option, so that parsing goes wrong from there. */
function lengthByte(bytes: Uint8Array, random: Random): Uint8Array {
  let at = OPTIONS_AT;
  for (let steps = random(12); steps > 0 && at + 1 < bytes.length; steps--) at += 2 + (bytes[at + 1] ?? 0);
  if (at + 1 < bytes.length) bytes[at + 1] = random(256);
  return bytes;
}

function insertOption(bytes: Uint8Array, random: Random): Uint8Array {
  const code = CODES[random(CODES.length)] ?? 0;
  const value = randomBytes(random(4) === 0 ? random(256) : random(9), random);
  return inserted(bytes, OPTIONS_AT, Uint8Array.of(code, value.length), value);
}

function overload(bytes: Uint8Array, random: Random): Uint8Array {
  return inserted(bytes, OPTIONS_AT, Uint8Array.of(52, 1, random(6)));
}

function splice(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  const at = random(bytes.length + 1);
  return joined(bytes.subarray(0, at), other.subarray(at));
}

function repeatPiece(bytes: Uint8Array, random: Random): Uint8Array {
  const from = OPTIONS_AT + random(60);
  const piece = bytes.subarray(from, from + random(40));
  const times = random(8) === 0 ? 60 : 2;
  return inserted(bytes, from, ...Array.from({ length: times }, () => piece));
}

/** Options in file or sname, where overload may place them. */
function fieldOptions(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(2) === 0 ? 44 : 108;
  const option = [CODES[random(CODES.length)] ?? 0, random(70), random(256), random(256), 255];
  for (const [index, value] of option.entries()) if (at + index < bytes.length) bytes[at + index] = value;
  return bytes;
}

function grow(bytes: Uint8Array, random: Random): Uint8Array {
  return joined(bytes, randomBytes(random(20) === 0 ? random(4000) : random(40), random));
}
