import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DhcpOptions, DhcpPacket } from '@tinkerbell/dhcp';
import { ipv4, ipv4FromNumber, ipv4ToNumber, mac, type Ipv4 } from '@tinkerbell/wire';
import { hardware, ipxeWithHttp, MAC, request, settings, uefi } from '../testing/packets.ts';
import {
  classifyClient,
  poolFor,
  poolReply,
  poolStepFor,
  PoolTable,
  replyTo,
  reservationFor,
  type AddressPool,
  type Holding,
  type NetbootSettings,
} from '../index.ts';

const pool: AddressPool = {
  first: ipv4('192.168.77.100'),
  last: ipv4('192.168.77.102'),
  prefixLength: 24,
  gateway: ipv4('192.168.77.1'),
  nameServers: [ipv4('192.168.77.53')],
  leaseTimeSeconds: 600,
};
const elsewhere: AddressPool = { ...pool, first: ipv4('10.1.0.100'), last: ipv4('10.1.0.199') };
const [A, B, C] = [ipv4('192.168.77.100'), ipv4('192.168.77.101'), ipv4('192.168.77.102')];
const STRANGER = mac('02:00:5e:10:00:0f');
const NOW = 1_000_000;
const nobody = () => false;

function table(...holdings: (readonly [Ipv4, string, Holding['state'], number])[]): PoolTable {
  const made = new PoolTable();
  for (const [address, owner, state, inMs] of holdings) {
    made.put({ address, mac: mac(owner), state, untilMs: NOW + inMs });
  }
  return made;
}

function choose(from: PoolTable, requested?: Ipv4, isReserved: (address: Ipv4) => boolean = nobody) {
  return from.choose({ mac: STRANGER, pool, requested, isReserved, nowMs: NOW });
}

const OTHER = '02:00:5e:10:00:0e';
const THIRD = '02:00:5e:10:00:0d';

test('uses the pool of the client’s network', () => {
  const chosen = (change: Partial<DhcpPacket>, options: DhcpOptions = {}, localAddresses: Ipv4[] = []) =>
    poolFor([elsewhere, pool], {
      request: request({ messageType: 1, ...options }, change),
      arrival: { port: 'dhcp', localAddresses },
      serverAddress: settings.serverAddress,
    });
  const away = ipv4('10.1.0.1');
  assert.equal(chosen({}), pool, 'the server’s own address');
  assert.equal(chosen({}, {}, [away]), elsewhere, 'the server’s address on the network interface');
  assert.equal(chosen({ ciaddr: A }, {}, [away]), pool, 'the address in use');
  assert.equal(chosen({ giaddr: away }), elsewhere, 'the relay');
  assert.equal(chosen({ giaddr: away }, { subnetSelection: A }), pool, 'subnet selection');
  const linkSelection = { bytes: Uint8Array.of(5, 4, 10, 1, 0, 0), subOptions: [] };
  const both = { relayAgentInformation: linkSelection, subnetSelection: A };
  assert.equal(chosen({ giaddr: A }, both), elsewhere, 'link selection');
  assert.equal(chosen({ giaddr: ipv4('172.16.0.1') }), undefined);
});

test('a machine gets its former address, the one it requests, a new one, the longest free, in this order', () => {
  const own = [B, STRANGER, 'released', -5] as const;
  assert.equal(choose(table(own), C), B);
  assert.equal(choose(table([B, STRANGER, 'leased', 5])), B);
  assert.equal(choose(table(), C), C);
  assert.equal(choose(table([A, OTHER, 'released', -5])), B, 'an unused one, before one that is free again');
  const used = [
    [A, OTHER, 'released', -5],
    [B, OTHER, 'leased', -9],
    [C, THIRD, 'leased', 5],
  ] as const;
  assert.equal(choose(table(...used)), B);
  assert.equal(choose(table(...used), A), A);
  assert.equal(choose(table(...used), C), B, 'an active lease belongs to one machine');
});

test('no address is assigned twice, to a machine other than its Hardware, or while it is declined', () => {
  assert.equal(
    choose(table(), A, (address) => address === A),
    B,
  );
  assert.equal(choose(table(), ipv4('192.168.77.103')), A, 'only in the pool');
  assert.equal(choose(table([A, STRANGER, 'declined', 5]), A), B);
  assert.equal(
    choose(table([A, STRANGER, 'leased', 5]), A, (address) => address === A),
    B,
  );
  const given = new PoolTable();
  const addresses = new Set<Ipv4 | undefined>();
  for (let index = 0; index < 4; index++) {
    const owner = mac(`02:00:5e:20:00:0${index}`);
    const address = given.choose({ mac: owner, pool, isReserved: nobody, nowMs: NOW });
    addresses.add(address);
    if (address !== undefined) given.put({ address, mac: owner, state: 'offered', untilMs: NOW + 60 });
  }
  assert.deepEqual([...addresses], [A, B, C, undefined]);
  assert.equal(choose(given), undefined);
  const later = given.choose({ mac: STRANGER, pool, isReserved: nobody, nowMs: NOW + 2000 });
  assert.equal(later, A, 'offers that were not accepted are free again');
});

test('a full pool of 16,384 addresses is searched once a second, however many clients send requests', () => {
  const large = { ...pool, first: ipv4('10.0.0.1'), last: ipv4('10.0.64.0'), prefixLength: 8 };
  const full = new PoolTable();
  for (let index = 0; index < 16_384; index++) {
    const address = ipv4FromNumber(ipv4ToNumber(large.first) + index);
    const owner = mac(`02005e${(index + 0x20_0000).toString(16).padStart(6, '0')}`);
    full.put({ address, mac: owner, state: 'leased', untilMs: NOW + 60_000 });
  }
  let looks = 0;
  const isReserved = () => (looks++, false);
  for (let index = 0; index < 1000; index++) {
    assert.equal(full.choose({ mac: STRANGER, pool: large, isReserved, nowMs: NOW }), undefined);
  }
  assert.ok(looks <= 1, `${looks}`);
});

const us = settings.serverAddress;
const them = ipv4('192.168.77.2');
type StepRow = readonly [what: string, DhcpOptions, Partial<DhcpPacket>, PoolTable, expected: string];
const leased = () => table([B, STRANGER, 'leased', 5]);
const expired = () => table([B, STRANGER, 'leased', -5]);
const othersB = () => table([B, OTHER, 'leased', 5]);
const declined = () => table([B, STRANGER, 'declined', 5]);
const steps: readonly StepRow[] = [
  ['DISCOVER', { messageType: 1 }, {}, table(), `offer ${A} new`],
  ['DISCOVER again', { messageType: 1 }, {}, leased(), `offer ${B} known`],
  [
    'DISCOVER, pool full',
    { messageType: 1 },
    {},
    table(...[A, B, C].map((each) => [each, OTHER, 'leased', 9] as const)),
    'ignore pool-exhausted',
  ],
  [
    'SELECTING',
    { serverIdentifier: us, requestedAddress: B },
    {},
    table([B, STRANGER, 'offered', 5]),
    `acknowledge ${B}`,
  ],
  ['SELECTING another address', { serverIdentifier: us, requestedAddress: C }, {}, leased(), 'refuse'],
  ['SELECTING without an offer', { serverIdentifier: us, requestedAddress: B }, {}, table(), 'refuse'],
  [
    'SELECTING another server',
    { serverIdentifier: them, requestedAddress: B },
    {},
    leased(),
    'ignore other-server-selected',
  ],
  ['INIT-REBOOT', { requestedAddress: B }, {}, leased(), `acknowledge ${B}`],
  ['INIT-REBOOT after the end', { requestedAddress: B }, {}, expired(), `acknowledge ${B}`],
  ['INIT-REBOOT, another address', { requestedAddress: C }, {}, leased(), 'refuse'],
  ['INIT-REBOOT, another network', { requestedAddress: ipv4('10.1.0.7') }, {}, leased(), 'refuse'],
  ['INIT-REBOOT, somebody else’s', { requestedAddress: B }, {}, othersB(), 'refuse'],
  ['INIT-REBOOT, unknown', { requestedAddress: B }, {}, table(), 'ignore no-lease'],
  ['RENEWING', {}, { ciaddr: B }, leased(), `acknowledge ${B}`],
  ['RENEWING, somebody else’s', {}, { ciaddr: B }, othersB(), 'refuse'],
  ['RENEWING, declined', {}, { ciaddr: B }, declined(), 'refuse'],
  ['RENEWING, unknown', {}, { ciaddr: B }, table(), 'ignore no-lease'],
  ['REQUEST of nothing', {}, {}, leased(), 'ignore no-lease'],
  ['DECLINE', { messageType: 4, requestedAddress: B }, {}, leased(), `decline ${B}`],
  ['DECLINE, somebody else’s', { messageType: 4, requestedAddress: B }, {}, othersB(), 'ignore no-lease'],
  [
    'DECLINE to another server',
    { messageType: 4, requestedAddress: B, serverIdentifier: them },
    {},
    leased(),
    'ignore other-server-selected',
  ],
  ['RELEASE', { messageType: 7 }, { ciaddr: B }, leased(), `release ${B}`],
  ['RELEASE, somebody else’s', { messageType: 7 }, { ciaddr: B }, othersB(), 'ignore no-lease'],
  ['INFORM', { messageType: 8 }, { ciaddr: C }, table(), 'inform'],
  [
    'INFORM from elsewhere',
    { messageType: 8 },
    { ciaddr: ipv4('192.168.77.9') },
    table(),
    'ignore no-hardware',
  ],
  ['type 13', { messageType: 13 }, {}, leased(), 'ignore unknown-message-type'],
];

test('every message has its step', () => {
  for (const [what, options, header, holdings, expected] of steps) {
    const step = poolStepFor({
      request: request({ messageType: 3, ...options }, header),
      mac: STRANGER,
      pool,
      table: holdings,
      isReserved: nobody,
      serverAddress: us,
      nowMs: NOW,
    });
    const words = [
      step.kind,
      ...('address' in step ? [step.address] : []),
      ...('isKnown' in step ? [step.isKnown ? 'known' : 'new'] : []),
      ...('reason' in step ? [step.reason] : []),
    ];
    assert.equal(words.join(' '), expected, what);
  }
});

test('a client that declines many addresses does not empty the pool', () => {
  const large = { ...pool, last: ipv4('192.168.77.120') };
  const greedy = new PoolTable();
  const base = { mac: STRANGER, pool: large, table: greedy, isReserved: nobody, serverAddress: us };
  const kinds = Array.from({ length: 8 }, () => {
    const address = greedy.choose({ mac: STRANGER, pool: large, isReserved: nobody, nowMs: NOW });
    assert.ok(address);
    greedy.put({ address, mac: STRANGER, state: 'leased', untilMs: NOW + 60 });
    const decline = request({ messageType: 4, requestedAddress: address });
    const step = poolStepFor({ ...base, request: decline, nowMs: NOW });
    if (step.kind === 'decline')
      greedy.put({ address, mac: STRANGER, state: 'declined', untilMs: NOW + 3600 });
    return step.kind;
  });
  assert.deepEqual(kinds, [...Array<string>(5).fill('decline'), 'ignore', 'ignore', 'ignore']);
});

test('a lease ends when a Hardware uses the address', () => {
  const isReserved = (address: Ipv4) => address === B;
  const step = poolStepFor({
    request: request({ messageType: 3 }, { ciaddr: B }),
    mac: STRANGER,
    pool,
    table: leased(),
    isReserved,
    serverAddress: us,
    nowMs: NOW,
  });
  assert.equal(step.kind, 'refuse');
});

const withPool: NetbootSettings = { ...settings, pools: [pool] };

test('clients with a fixed address, and proxies, do not use the pool', () => {
  const kind = (change: Partial<NetbootSettings>, found = [hardware()]) => {
    const packet = request(uefi);
    const client = classifyClient(packet);
    const reservation = reservationFor(found, MAC);
    return replyTo({ request: packet, client, reservation, settings: { ...withPool, ...change } }).kind;
  };
  assert.equal(kind({}), 'reply');
  assert.equal(kind({}, [hardware({ dhcp: { ip: undefined } })]), 'pool');
  assert.equal(kind({}, []), 'pool');
  assert.equal(kind({}, [hardware({ networkInterface: { disableDhcp: true } })]), 'ignore');
  assert.equal(kind({ mode: 'auto-proxy' }, []), 'reply');
  assert.equal(kind({ mode: 'proxy' }, []), 'ignore');
  assert.equal(kind({ pools: [elsewhere] }, []), 'ignore');
});

function replyOf(options: DhcpOptions, found = [hardware({ dhcp: { ip: undefined } })], change = {}) {
  const packet = request(options);
  const client = classifyClient(packet);
  const result = reservationFor(found, MAC);
  const known = result.ok ? result.value : undefined;
  const input = { request: packet, client, mac: MAC, pool, address: B, known };
  return poolReply({ ...input, settings: { ...withPool, ...change } }, 'offer');
}

test('a known machine boots as its Hardware specifies, and an unknown one gets only its address', () => {
  const known = replyOf(ipxeWithHttp);
  assert.deepEqual(
    [known.yiaddr, known.options.hostName, known.options.leaseTimeSeconds, known.options.subnetMask],
    [B, 'machine1', 600, '255.255.255.0'],
  );
  assert.match(known.bootFile, /auto\.ipxe$/);
  assert.deepEqual(known.options.domainNameServers, ['192.168.77.53']);

  const unknown = replyOf(uefi, []);
  assert.deepEqual([unknown.yiaddr, unknown.bootFile], [B, '']);
  assert.deepEqual(unknown.options.routers, ['192.168.77.1']);
  assert.equal(unknown.options.vendorSpecific, undefined);
  assert.equal(replyOf(uefi, [], { poolNetboot: true }).bootFile, 'ipxe.efi');
});
