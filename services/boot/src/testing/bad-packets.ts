/** Lists the ways in which DHCP requests are broken, each with its permitted results. */
import { hexToBytes } from '@tinkerbell/wire';

export interface BadPacket {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** `answer`: the packet is sloppy, but its intent is clear. */
  readonly outcome: 'silence' | 'answer';
}

const HEADER_BYTES = 240;
const FIELD = {
  op: 0,
  htype: 1,
  hlen: 2,
  hops: 3,
  ciaddr: 12,
  giaddr: 24,
  chaddr: 28,
  sname: 44,
  file: 108,
  cookie: 236,
};
const DISCOVER = '350101';
const PXE = '3c20505845436c69656e743a417263683a30303030373a554e44493a303033303030 5d020007 5e03010300';

interface Build {
  /** Hexadecimal. Nothing is added. */
  readonly options?: string;
  /** Hexadecimal by field of the header. */
  readonly header?: Partial<Record<keyof typeof FIELD, string>>;
  readonly cutTo?: number;
}

function built({ options = `${DISCOVER}ff`, header = {}, cutTo }: Build, machine: Uint8Array): Uint8Array {
  const bytes = new Uint8Array([
    ...hex('01010600'),
    ...new Uint8Array(24),
    ...machine,
    ...new Uint8Array(192),
    ...hex('63825363'),
    ...hex(options),
  ]);
  for (const [field, value] of Object.entries(header))
    bytes.set(hex(value), FIELD[field as keyof typeof FIELD]);
  return cutTo === undefined ? bytes : bytes.slice(0, cutTo);
}

const hex = (text: string) => hexToBytes(text) ?? new Uint8Array();

/** One option with a value of `length` times one byte. */
const filled = (code: string, length: number, byte = '41') =>
  `${code}${length.toString(16).padStart(2, '0')}${byte.repeat(length)}`;

const silent: readonly (readonly [string, Build])[] = [
  ['empty', { cutTo: 0 }],
  ['one byte', { cutTo: 1 }],
  ['cut in the header', { cutTo: 43 }],
  ['cut in file', { cutTo: 200 }],
  ['cut before the cookie', { cutTo: 236 }],
  ['no options', { cutTo: HEADER_BYTES }],
  ['another cookie', { header: { cookie: '00000000' } }],
  ['op reply', { header: { op: '02' } }],
  ['op 0', { header: { op: '00' } }],
  ['op 255', { header: { op: 'ff' } }],
  ['hlen 17', { header: { hlen: '11' } }],
  ['hlen 255', { header: { hlen: 'ff' } }],
  ['hlen 0', { header: { hlen: '00' } }],
  ['InfiniBand', { header: { htype: '20', hlen: '00' } }],
  ['17 hops', { header: { hops: '11' } }],
  ['an option code at the very end', { options: `${DISCOVER}0c` }],
  ['an option beyond the end', { options: `${DISCOVER}0c0541` }],
  ['only PAD', { options: '00'.repeat(64) }],
  ['only END', { options: 'ff' }],
  ['type of length 0', { options: '3500ff' }],
  ['type of length 2', { options: '35020101ff' }],
  ['two types', { options: '350101350103ff' }],
  ['type 0', { options: '350100ff' }],
  ['type 2', { options: '350102ff' }],
  ['DECLINE', { options: '350104ff' }],
  ['type 9', { options: '350109ff' }],
  ['type 255', { options: '3501ffff' }],
  ['INFORM without ciaddr', { options: '350108ff' }],
  ['requested address of length 3', { options: '3501033203c0a84dff' }],
  ['server identifier of length 5', { options: '3501033605c0a84d0100ff' }],
  ['for another server', { options: '3501033604c0a84d023204c0a84d0aff' }],
  ['giaddr loopback', { header: { giaddr: '7f000001' } }],
  ['giaddr multicast', { header: { giaddr: 'e0000001' } }],
  ['giaddr broadcast', { header: { giaddr: 'ffffffff' } }],
  ['giaddr ourselves', { header: { giaddr: 'c0a84d01' } }],
  ['ciaddr loopback', { options: '350103ff', header: { ciaddr: '7f000001' } }],
  ['ciaddr broadcast', { options: '350103ff', header: { ciaddr: 'ffffffff' } }],
  ['ciaddr ourselves', { options: '350103ff', header: { ciaddr: 'c0a84d01' } }],
  ['chaddr of zeros', { header: { chaddr: '000000000000' } }],
  ['chaddr of ones', { header: { chaddr: 'ffffffffffff' } }],
  ['overload without the promised options', { options: '340103ff', header: { file: '35', sname: '35' } }],
  ['overload that nests', { options: '340101ff', header: { file: '340102ff', sname: '350101ff' } }],
  ['overload 4', { options: '340104ff', header: { file: '350101ff' } }],
  ['4 KiB and one byte', { options: `${DISCOVER}${'00'.repeat(3854)}` }],
  ['zero-length options', { options: `${DISCOVER}0c003200370039003d003c00ff` }],
  ['RELEASE of another machine’s address', { options: '350107ff', header: { ciaddr: 'c0a84d63' } }],
  ['60,000 bytes in fragments', { options: `${DISCOVER}${'00'.repeat(59_000)}ff` }],
];

const answered: readonly (readonly [string, Build])[] = [
  ['no END', { options: DISCOVER }],
  ['zero-length options that do not matter', { options: `${DISCOVER}0c00370039003d003c00ff` }],
  ['data after END', { options: `${DISCOVER}ff0c05` }],
  ['a client identifier of one byte', { options: `${DISCOVER}3d0101ff` }],
  ['a client identifier of 255 bytes', { options: `${DISCOVER}${filled('3d', 255)}ff` }],
  ['a host name of control characters', { options: `${DISCOVER}${filled('0c', 40, '0a')}ff` }],
  ['a host name that is not UTF-8', { options: `${DISCOVER}${filled('0c', 9, 'c3')}ff` }],
  ['an FQDN with wrong lengths', { options: `${DISCOVER}5103ffffffff` }],
  ['a search list whose pointer loops', { options: `${DISCOVER}7702c000ff` }],
  ['a search list that points forward', { options: `${DISCOVER}7702c0ffff` }],
  ['relay information beyond its end', { options: `${DISCOVER}520301ff00ff` }],
  ['empty relay information', { options: `${DISCOVER}5200ff` }],
  ['PXE without a GUID', { options: `${DISCOVER}${PXE}ff` }],
  ['PXE with an empty GUID', { options: `${DISCOVER}${PXE}6100ff` }],
  ['PXE with a GUID of another type', { options: `${DISCOVER}${PXE}6111ff${'00'.repeat(16)}ff` }],
  [
    'PXE with an unknown architecture',
    {
      options: `${DISCOVER}3c09505845436c69656e745d02ffff5e0301030061110000000000000000000000000000000000ff`,
    },
  ],
  ['an architecture of one byte', { options: `${DISCOVER}5d0107ff` }],
  ['user classes beyond the end', { options: `${DISCOVER}4d05ff41424344ff` }],
  ['vendor options beyond the end', { options: `${DISCOVER}2b0306ff08ff` }],
  ['a parameter list of 255 entries', { options: `${DISCOVER}${filled('37', 255, '03')}ff` }],
  ['a maximum message of 0', { options: `${DISCOVER}39020000ff` }],
  ['a maximum message of 65535', { options: `${DISCOVER}3902ffffff` }],
  ['options 300 times', { options: `${DISCOVER}${'0c0141'.repeat(300)}ff` }],
  ['a request for another machine’s address', { options: '3501033204c0a84d63ff' }],
  ['an option overloaded into file', { options: '340101ff', header: { file: '350101ff' } }],
];

/**
 * Returns each packet as the machine with that hardware address sends it. The caller chooses the transaction.
 */
export function badPackets(machineOf: (index: number) => Uint8Array): readonly BadPacket[] {
  const kinds = [
    ...silent.map((each) => ({ each, outcome: 'silence' as const })),
    ...answered.map((each) => ({ each, outcome: 'answer' as const })),
  ];
  return kinds.map(({ each: [name, build], outcome }, index) => ({
    name,
    bytes: built(build, machineOf(index)),
    outcome,
  }));
}
