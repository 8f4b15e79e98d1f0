import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipv4 } from '@tinkerbell/wire';
import {
  linkAddressOf,
  messageType,
  replyDestination,
  type DhcpPacket,
  type RelayAgentInformation,
} from './index.ts';

const ZERO = ipv4('0.0.0.0');
const request: DhcpPacket = {
  op: 'request',
  hardwareType: 1,
  hardwareLength: 6,
  hops: 0,
  transactionId: 1,
  secondsElapsed: 0,
  broadcast: false,
  ciaddr: ZERO,
  yiaddr: ZERO,
  siaddr: ZERO,
  giaddr: ZERO,
  hardwareAddress: Uint8Array.of(2, 0, 0x5e, 0x10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  serverName: '',
  bootFile: '',
  options: { messageType: 1 },
};
const giaddr = ipv4('10.1.0.1');
const ciaddr = ipv4('10.1.0.7');
const yiaddr = ipv4('10.1.0.9');

const RELAY = 'relay 10.1.0.1:67';
const CLIENT = 'unicast 10.1.0.7:68';
const BROADCAST = 'broadcast 255.255.255.255:68';
const LINK = 'link-layer 10.1.0.9:68';

// RFC 2131 section 4.1, row by row: [request, where an offer or acknowledgement goes, where a refusal goes]
const table: readonly [Partial<DhcpPacket>, string, string][] = [
  [{ giaddr }, RELAY, RELAY],
  [{ giaddr, ciaddr, broadcast: true }, RELAY, RELAY],
  [{ ciaddr }, CLIENT, BROADCAST],
  [{ ciaddr, broadcast: true }, CLIENT, BROADCAST],
  [{ broadcast: true }, BROADCAST, BROADCAST],
  [{}, LINK, BROADCAST],
  [{ hardwareType: 32, hardwareLength: 0 }, BROADCAST, BROADCAST],
];

test('a reply goes where RFC 2131 section 4.1 sends it', () => {
  for (const [header, normal, refusal] of table) {
    for (const [type, expected] of [
      ['offer', normal],
      ['acknowledge', normal],
      ['refuse', refusal],
    ] as const) {
      const reply: DhcpPacket = {
        ...request,
        ...header,
        op: 'reply',
        yiaddr,
        options: { messageType: messageType[type] },
      };
      const { kind, address, port } = replyDestination({ ...request, ...header }, reply);
      assert.equal(`${kind} ${address}:${port}`, expected, `${type} to ${JSON.stringify(header)}`);
    }
  }
});

test('a reply without an address is broadcast', () => {
  assert.equal(replyDestination(request, { ...request, op: 'reply' }).kind, 'broadcast');
});

test('the link comes from link selection, then subnet selection, then the relay', () => {
  const linkSelection = ipv4('10.5.0.0');
  const subnetSelection = ipv4('10.6.0.0');
  const relayAgentInformation: RelayAgentInformation = {
    bytes: new Uint8Array(),
    subOptions: [],
    linkSelection,
  };
  const link = (change: Partial<DhcpPacket>) => linkAddressOf({ ...request, ...change });
  assert.equal(link({ giaddr, options: { relayAgentInformation, subnetSelection } }), linkSelection);
  assert.equal(link({ giaddr, options: { subnetSelection } }), subnetSelection);
  assert.equal(link({ giaddr }), giaddr);
  assert.equal(link({}), undefined);
});
