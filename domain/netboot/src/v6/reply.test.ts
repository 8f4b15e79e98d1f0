import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duidOfMac, messageType, statusCode, type Dhcpv6Options } from '@tinkerbell/dhcpv6';
import type { Hardware } from '@tinkerbell/resources';
import { encodeUtf8, hexToBytes, ipv4, mac, parseIpv6 } from '@tinkerbell/wire';
import {
  classifyV6Client,
  replyToV6,
  v6MacsOf,
  v6ReservationFor,
  type NetbootSettings,
  type V6Settings,
} from '../index.ts';

const MAC = mac('02:00:5e:10:00:01');
const ADDRESS = parseIpv6('2001:db8::10')!;
const SERVER = duidOfMac(mac('02:00:5e:00:00:ff'));
const CLIENT = duidOfMac(MAC);
const address = ipv4('192.0.2.1');
const BINARIES = 'http://[2001:db8::1]:7080/ipxe/binary/';
const SCRIPT = 'http://[2001:db8::1]:7080/ipxe/script/auto.ipxe';

const netboot: NetbootSettings = {
  mode: 'reservation',
  serverAddress: address,
  netbootOptionsEnabled: true,
  tftp: { address, port: 69 },
  httpBinary: { url: 'http://192.0.2.1/', address },
  scriptUrl: 'http://192.0.2.1/auto.ipxe',
  scriptUrlHasMac: true,
  macFormat: 'colon',
  architectureOverrides: new Map(),
  chainloading: 'when-needed',
  ipxeFeatures: ['https'],
  bootLocalWhenIdle: true,
};
const SETTINGS: V6Settings = { netboot, httpBinaryV6Url: BINARIES, scriptV6Url: SCRIPT };

function hardware(dhcp: object = {}, boot: object = {}): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine1', namespace: 'default' },
    spec: { interfaces: [{ dhcp: { mac: MAC, ...dhcp }, netboot: { allowPXE: true, ...boot } }] },
  };
}
const ADDRESSED = { ip: { address: ADDRESS, family: 6 }, lease_time: 1_000 };

const UEFI_HTTP: Dhcpv6Options = {
  clientIdentifier: CLIENT,
  optionRequest: [59, 60, 23],
  clientArchitectures: [16],
  vendorClass: { enterprise: 343, data: [encodeUtf8('HTTPClient:Arch:00016:UNDI:003001')] },
};
const IPXE: Dhcpv6Options = {
  ...UEFI_HTTP,
  userClass: [encodeUtf8('iPXE')],
  vendorClass: { enterprise: 343, data: [encodeUtf8('PXEClient:Arch:00007:UNDI:003010')] },
};

interface Asked {
  readonly of?: Hardware;
  readonly settings?: V6Settings;
}

function ask(type: number, options: Dhcpv6Options, { of = hardware(), settings = SETTINGS }: Asked = {}) {
  const request = { type, transactionId: 7, options };
  const [found] = v6MacsOf({ message: request, envelopes: [], sender: undefined });
  const client = classifyV6Client(request, found);
  const reservation = v6ReservationFor([of], MAC);
  return replyToV6({ request, client, reservation, settings, serverIdentifier: SERVER });
}

function reply(...input: Parameters<typeof ask>) {
  const decision = ask(...input);
  assert.ok(decision.kind === 'reply', JSON.stringify(decision));
  return decision;
}

test('an Information-request of HTTP boot firmware gets the boot file URL, DNS, and the vendor class that it waits for', () => {
  const of = hardware({ name_servers: ['192.0.2.53', '2001:DB8::53'], domain_name: 'lab.test' });
  assert.deepEqual(reply(messageType.informationRequest, UEFI_HTTP, { of }), {
    kind: 'reply',
    reply: {
      type: messageType.reply,
      transactionId: 7,
      options: {
        serverIdentifier: SERVER,
        clientIdentifier: CLIENT,
        nameServers: ['2001:db8::53'],
        domainSearch: ['lab.test'],
        bootFileUrl: `${BINARIES}${MAC}/ipxe.efi`,
        vendorClass: { enterprise: 343, data: [encodeUtf8('HTTPClient')] },
      },
    },
  });
});

test('the boot file URL by client and Hardware, or why there is none', () => {
  const script = `http://[2001:db8::1]:7080/ipxe/script/${MAC}/auto.ipxe`;
  const arm = { ...UEFI_HTTP, clientArchitectures: [19] };
  const system = { clientIdentifier: CLIENT, optionRequest: [23] };
  const pxe = { ...UEFI_HTTP, vendorClass: { enterprise: 343, data: [encodeUtf8('PXEClient:Arch:00007')] } };
  const notAllowed = hardware({}, { allowPXE: false });
  const rows: [string, Dhcpv6Options, Asked][] = [
    [`${BINARIES}${MAC}/snp-arm64.efi`, arm, {}],
    [script, IPXE, {}],
    ['http://own.test/x', IPXE, { of: hardware({}, { ipxe: { url: 'http://own.test/x' } }) }],
    [`${BINARIES}${MAC}/own.efi`, UEFI_HTTP, { of: hardware({}, { ipxe: { binary: 'own.efi' } }) }],
    ['http://[2001:db8::9]/x', UEFI_HTTP, { of: hardware({ boot_file_name: 'http://[2001:db8::9]/x' }) }],
    [script, IPXE, { of: notAllowed }],
    ['not-a-netboot-client', system, {}],
    ['netboot-not-allowed', UEFI_HTTP, { of: notAllowed }],
    ['no-binary', { ...UEFI_HTTP, clientArchitectures: [999] }, {}],
    ['tftp-over-ipv6', pxe, {}],
    ['no-ipv6-url', UEFI_HTTP, { settings: { netboot } }],
    ['no-ipv6-url', IPXE, { settings: { netboot, httpBinaryV6Url: BINARIES } }],
    [
      'netboot-options-disabled',
      IPXE,
      { settings: { ...SETTINGS, netboot: { ...netboot, netbootOptionsEnabled: false } } },
    ],
  ];
  for (const [expected, options, asked] of rows) {
    const { reply: sent, noBoot } = reply(messageType.informationRequest, options, asked);
    assert.equal(sent.options.bootFileUrl ?? noBoot, expected);
  }
});

const WANTED = { id: 5, renewalTimeSeconds: 0, rebindingTimeSeconds: 0, addresses: [] };
const OWN = { address: ADDRESS, preferredLifetimeSeconds: 1_000, validLifetimeSeconds: 1_000 };
const asking = { ...UEFI_HTTP, identityAssociations: [WANTED] };
const toUs = { ...asking, serverIdentifier: SERVER };

test('SOLICIT and REQUEST get the address of the Hardware, and only that', () => {
  const given = { id: 5, renewalTimeSeconds: 500, rebindingTimeSeconds: 800, addresses: [OWN] };
  const of = hardware(ADDRESSED);
  const rows: [number, Dhcpv6Options, number][] = [
    [messageType.solicit, asking, messageType.advertise],
    [messageType.solicit, { ...asking, rapidCommit: true }, messageType.reply],
    [messageType.request, toUs, messageType.reply],
    [messageType.renew, toUs, messageType.reply],
    [messageType.rebind, asking, messageType.reply],
  ];
  for (const [type, options, expected] of rows) {
    const { reply: sent } = reply(type, options, { of });
    assert.equal(sent.type, expected);
    assert.deepEqual(sent.options.identityAssociations, [given]);
    assert.equal(sent.options.rapidCommit, options.rapidCommit);
    assert.equal(sent.options.bootFileUrl, `${BINARIES}${MAC}/ipxe.efi`);
  }
  const two = { ...asking, identityAssociations: [WANTED, { ...WANTED, id: 6 }] };
  const { reply: sent } = reply(messageType.solicit, two, { of });
  assert.deepEqual(
    sent.options.identityAssociations?.map(({ addresses, status }) => [addresses.length, status?.code]),
    [
      [1, undefined],
      [0, statusCode.noAddressesAvailable],
    ],
  );
});

test('without an IPv6 address in the Hardware, the reply has a status instead of an address, and the boot file', () => {
  const of = hardware({ ip: { address: '192.0.2.10', netmask: '255.255.255.0' } });
  const rows: [number, Dhcpv6Options, number][] = [
    [messageType.solicit, { ...asking, rapidCommit: true }, statusCode.noAddressesAvailable],
    [messageType.request, toUs, statusCode.noAddressesAvailable],
    [messageType.renew, toUs, statusCode.noBinding],
    [messageType.rebind, asking, statusCode.noBinding],
  ];
  for (const [type, options, status] of rows) {
    const { reply: sent } = reply(type, options, { of });
    assert.equal(sent.type, type === messageType.solicit ? messageType.advertise : messageType.reply);
    const [only] = sent.options.identityAssociations ?? [];
    assert.deepEqual([only?.id, only?.addresses, only?.status?.code], [5, [], status]);
    assert.equal(sent.options.bootFileUrl, `${BINARIES}${MAC}/ipxe.efi`);
  }
});

test('renewing a foreign address ends it, and confirming one reports another link', () => {
  const foreign = parseIpv6('2001:db8:9::1')!;
  const holding = { ...WANTED, addresses: [{ ...OWN, address: foreign }] };
  const of = hardware(ADDRESSED);
  const { reply: renewed } = reply(messageType.renew, { ...toUs, identityAssociations: [holding] }, { of });
  assert.deepEqual(renewed.options.identityAssociations?.[0]?.addresses, [
    OWN,
    { address: foreign, preferredLifetimeSeconds: 0, validLifetimeSeconds: 0 },
  ]);
  const confirm = (addresses: (typeof OWN)[]) =>
    ask(messageType.confirm, { ...UEFI_HTTP, identityAssociations: [{ ...WANTED, addresses }] }, { of });
  const statusOf = (decision: ReturnType<typeof ask>) =>
    decision.kind === 'reply' ? decision.reply.options.status?.code : decision.reason;
  assert.equal(statusOf(confirm([OWN])), statusCode.success);
  assert.equal(statusOf(confirm([{ ...OWN, address: foreign }])), statusCode.notOnLink);
  assert.equal(statusOf(confirm([])), 'nothing-to-confirm');
  for (const type of [messageType.release, messageType.decline])
    assert.equal(statusOf(ask(type, toUs, { of })), statusCode.success);
});

test('every reason to send no answer', () => {
  const other = { ...asking, serverIdentifier: duidOfMac(mac('02:00:5e:00:00:01')) };
  const { clientIdentifier: _, ...nameless } = asking;
  const uuid = { ...UEFI_HTTP, clientIdentifier: hexToBytes('0004 00112233445566778899aabbccddeeff')! };
  const rows: [string, number, Dhcpv6Options, Asked?][] = [
    ['unknown-message-type', messageType.advertise, asking],
    ['unknown-message-type', messageType.reconfigure, asking],
    ['server-named', messageType.solicit, toUs],
    ['server-named', messageType.rebind, toUs],
    ['server-named', messageType.confirm, toUs],
    ['server-not-named', messageType.request, asking],
    ['server-not-named', messageType.release, asking],
    ['other-server-selected', messageType.request, other],
    ['other-server-selected', messageType.informationRequest, { ...UEFI_HTTP, serverIdentifier: CLIENT }],
    ['client-not-named', messageType.solicit, nameless],
    ['addresses-in-information-request', messageType.informationRequest, asking],
    ['no-mac', messageType.solicit, uuid],
    ['address-invalid', messageType.solicit, asking, { of: hardware({ ip: { address: '2001:::1' } }) }],
    [
      'dhcp-disabled',
      messageType.solicit,
      asking,
      {
        of: { ...hardware(), spec: { interfaces: [{ disableDhcp: true, dhcp: { mac: MAC }, netboot: {} }] } },
      },
    ],
  ];
  for (const [reason, type, options, asked] of rows) {
    const decision = ask(type, options, asked);
    assert.equal(decision.kind === 'ignore' ? decision.reason : 'reply', reason);
  }
});

test("finds the client's MAC in its DUID, at the relay next to it, or in its link-local address", () => {
  const message = { type: messageType.solicit, transactionId: 1, options: {} };
  const fromDuid = { ...message, options: { clientIdentifier: duidOfMac(mac('02:00:00:00:00:0d')) } };
  const link = parseIpv6('fe80::5eff:fe10:1')!;
  const any = parseIpv6('::')!;
  const far = { hops: 1, linkAddress: any, peerAddress: any, options: {} };
  const clientLinkLayerAddress = { hardwareType: 1, address: hexToBytes('02000000000a')! };
  const near = { hops: 0, linkAddress: any, peerAddress: link, options: { clientLinkLayerAddress } };
  const sender = parseIpv6('fe80::ff:fe00:99')!;
  assert.deepEqual(v6MacsOf({ message: fromDuid, envelopes: [far, near], sender }), [
    '02:00:00:00:00:0d',
    '02:00:00:00:00:0a',
    '02:00:5e:10:00:01',
  ]);
  assert.deepEqual(v6MacsOf({ message, envelopes: [], sender: link }), [MAC]);
  assert.deepEqual(v6MacsOf({ message, envelopes: [far], sender: link }), [], 'the sender is a relay');
});
