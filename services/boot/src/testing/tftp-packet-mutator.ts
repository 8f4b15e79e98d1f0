/** Creates almost valid TFTP packets: good ones, changed as networks, firmware and attackers change them. */
import { encodeTftp, type TftpOptions } from '@tinkerbell/tftp';
import type { createRandom } from './packet-mutator.ts';

type Random = ReturnType<typeof createRandom>;

const PACKET_BYTES_MAX = 1500;
const FILE_NAMES = [
  'small',
  'large',
  'broken',
  'refused',
  'nothing',
  '../small',
  '/etc/passwd',
  'a\\b',
  '%00',
  'small/',
];
const OPTION_SETS: readonly TftpOptions[] = [
  [],
  [['tsize', '0']],
  [['blksize', '8']],
  [
    ['blksize', '1468'],
    ['windowsize', '16'],
    ['tsize', '0'],
    ['timeout', '1'],
  ],
  [
    ['blksize', '65464'],
    ['windowsize', '65535'],
  ],
  [['blksize', '９']],
  [
    ['blksize', '0x200'],
    ['blksize', '512'],
  ],
  [['multicast', '']],
  Array.from({ length: 40 }, (_, index) => [`o${index}`, '-1'] as const),
];

/** Requests of every kind, and everything that a client may send in a transfer. */
export function tftpSeedPackets(): readonly Uint8Array[] {
  const requests = FILE_NAMES.flatMap((fileName) =>
    OPTION_SETS.map((options) => encodeTftp({ kind: 'read-request', fileName, mode: 'octet', options })),
  );
  const acknowledgements = Array.from({ length: requests.length }, (_, index) =>
    encodeTftp({ kind: 'acknowledge', block: index % 3 === 0 ? index * 769 : index % 20 }),
  );
  return [
    ...requests,
    ...acknowledgements,
    encodeTftp({ kind: 'read-request', fileName: 'small', mode: 'netascii', options: [] }),
    encodeTftp({ kind: 'write-request', fileName: 'small', mode: 'octet', options: [] }),
    encodeTftp({ kind: 'data', block: 1, bytes: new Uint8Array(512) }),
    encodeTftp({ kind: 'error', code: 8, message: 'stop' }),
    encodeTftp({ kind: 'option-acknowledge', options: [['blksize', '9']] }),
  ];
}

/** Returns a copy of one of `seeds`. One in three is unchanged. */
export function mutatedTftp(seeds: readonly Uint8Array[], random: Random): Uint8Array {
  const seed = (): Uint8Array => seeds[random(seeds.length)] ?? new Uint8Array();
  let bytes: Uint8Array = seed().slice();
  const changes = Math.max(0, random(6) - 2);
  for (let change = 0; change < changes; change += 1) bytes = changed(bytes, random, seed());
  return bytes.subarray(0, PACKET_BYTES_MAX);
}

function changed(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const at = random(bytes.length + 1);
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random(6)) {
    case 0:
      return Buffer.concat([head]);
    case 1:
      return Buffer.concat([head, Uint8Array.of(random(256)), tail]);
    case 2:
      return Buffer.concat([head, Uint8Array.of(0), tail.subarray(1)]);
    case 3:
      return Buffer.concat([head, other.subarray(random(other.length + 1))]);
    case 4:
      return Buffer.concat([head, tail.subarray(random(tail.length + 1))]);
    default:
      return Buffer.concat([head, Uint8Array.of(random(256)), tail.subarray(1)]);
  }
}
