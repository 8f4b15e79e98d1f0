import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPacket, type DhcpOptions, type DhcpPacket } from '@tinkerbell/dhcp';
import { ipv4, IPV4_ANY } from '@tinkerbell/wire';
import { foreignServerOf } from '../index.ts';

const US = ipv4('192.0.2.1');
const THEM = ipv4('192.0.2.2');

function packet(options: DhcpOptions, header: Partial<DhcpPacket> = {}): DhcpPacket {
  return {
    ...emptyPacket,
    op: 'reply',
    broadcast: true,
    options: { serverIdentifier: THEM, ...options },
    ...header,
  };
}

const leased = { yiaddr: ipv4('192.0.2.50') };
const pxe: DhcpOptions = { messageType: 2, vendorClassIdentifier: 'PXEClient' };
type Row = readonly [name: string, packet: DhcpPacket, inReservation: string, asProxy: string];
const rows: readonly Row[] = [
  ['an OFFER of an address', packet({ messageType: 2 }, leased), 'addresses', 'addresses, expected'],
  ['an ACK', packet({ messageType: 5 }, leased), 'addresses', 'addresses, expected'],
  ['a NAK', packet({ messageType: 6 }), 'none', 'none'],
  ['an ACK without address, to an INFORM', packet({ messageType: 5 }), 'none', 'none'],
  ['our own OFFER', packet({ messageType: 2, serverIdentifier: US }, leased), 'none', 'none'],
  [
    'an OFFER without a server',
    packet({ messageType: 2, serverIdentifier: IPV4_ANY }, leased),
    'none',
    'none',
  ],
  [
    'a boot file in the header',
    packet({ messageType: 2 }, { ...leased, bootFile: 'x' }),
    'booting',
    'booting',
  ],
  ['a boot file as option 67', packet({ messageType: 2, bootFileName: 'x' }, leased), 'booting', 'booting'],
  ['a proxy’s OFFER', packet({ ...pxe, bootFileName: 'x' }), 'booting', 'booting'],
  ['a proxy’s OFFER without a file', packet(pxe), 'booting', 'booting'],
  ['HTTP boot', packet({ ...pxe, vendorClassIdentifier: 'HTTPClient' }), 'booting', 'booting'],
  ['a REQUEST for it', packet({ messageType: 3 }, { op: 'request' }), 'addresses', 'addresses, expected'],
  ['a REQUEST for us', packet({ messageType: 3, serverIdentifier: US }, { op: 'request' }), 'none', 'none'],
  ['a RELEASE to it', packet({ messageType: 7 }, { op: 'request' }), 'none', 'none'],
];

for (const [name, seen, inReservation, asProxy] of rows) {
  test(`${name}: ${inReservation}; as a proxy: ${asProxy}`, () => {
    for (const [mode, expected] of [
      ['reservation', inReservation],
      ['proxy', asProxy],
      ['auto-proxy', asProxy],
    ] as const) {
      const found = foreignServerOf(seen, { mode, serverAddress: US });
      const told = found === undefined ? 'none' : `${found.kind}${found.isExpected ? ', expected' : ''}`;
      assert.equal(told, expected);
      if (found !== undefined) assert.match(found.message, /192\.0\.2\.2/);
    }
  });
}
