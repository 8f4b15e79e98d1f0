/** The driver against a service that lies: each fault has its code, in bounded time, and none becomes a success. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RedfishFeatures, RedfishLies } from '@tinkerbell/sandbox/bmc';
import type { BmcSession } from '../driver.ts';
import { failureOf, redfishRack, tlsSha256, type RedfishRack } from '../testing/redfish-rack.ts';

const pxe = { device: 'pxe', persistent: false, efiBoot: true } as const;
const ISO = 'http://192.0.2.1/a.iso';

type Use = (session: BmcSession) => Promise<unknown> | undefined;
const powerOn: Use = (session) => session.setPower('on');
const readPower: Use = (session) => session.powerState();
const bootPxe: Use = (session) => session.setBootDevice?.(pxe);
const insert: Use = (session) => session.setVirtualMedia?.(ISO);

const nested = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
const huge = JSON.stringify({ a: 'x'.repeat(10_000_000) });

test('a cycle is sent again in a new session when the service dropped the old one', async () => {
  await using rack = await redfishRack();
  rack.machine.isPowered = true;
  const session = await rack.open();
  rack.service.lies.dropsSessionsAt = /Reset$/;
  await session.setPower('cycle');
  assert.equal(rack.service.sessions.size, 1);
  rack.service.lies.dropsSessionsAt = /Reset$/;
  assert.equal((await failureOf(session.setPower('cycle'))).code, 'session-lost', 'once for a connection');
  assert.deepEqual(rack.machine.operations, ['cycle']);
});

test('a session that still exists is ended when a new one replaces it', async () => {
  await using rack = await redfishRack({}, { sessionRefusals: 1 });
  await rack.open();
  assert.equal(rack.service.sessions.size, 1);
});

/** Faults that begin after the login. */
const faults: readonly (readonly [name: string, lies: RedfishLies, use: Use, expected: RegExp])[] = [
  ['a session that is gone', { sessionRefusals: 9 }, readPower, /^session-lost: .*401/],
  [
    'a redirect to another host',
    { redirectsTo: 'https://192.0.2.66/' },
    powerOn,
    /^redirected: .*192.0.2.66/,
  ],
  ['an unavailable service', { isUnavailableWhileOff: true }, powerOn, /^busy: .*503/],
  ['10 MB', { resourceText: huge }, readPower, /^too-large: /],
  ['JSON of 10,000 levels', { resourceText: nested }, readPower, /^too-large: .*64 levels/],
  ['broken JSON', { resourceText: '{"PowerState":"On"' }, readPower, /^invalid-answer: .*not JSON/],
  ['JSON without an object', { resourceText: '["On"]' }, readPower, /^invalid-answer: /],
  ['a missing privilege', { refusesChanges: true }, powerOn, /^missing-privilege: .*403/],
  ['412 every time', { matchRefusals: 9 }, bootPxe, /^rejected: .*412/],
  ['a task that fails', { task: 'fails' }, powerOn, /^rejected: .*Exception: The job failed/],
  ['a task that never ends', { task: 'never-ends' }, insert, /^timed-out: .*within 10000 ms/],
  ['pages without end', { hasEndlessPages: true }, insert, /^invalid-answer: .*no end/],
  ['an ignored power off in a cycle', { ignoresPower: true }, cycleInHalves, /^not-applied: /],
];

function cycleInHalves(session: BmcSession): Promise<unknown> {
  return session.setPower('cycle');
}

for (const [name, lies, use, expected] of faults) {
  test(`${name} is a failure with its code`, async () => {
    const features: RedfishFeatures = use === cycleInHalves ? { resets: ['On', 'ForceOff'] } : {};
    await using rack = await redfishRack(features);
    rack.machine.isPowered = use === cycleInHalves;
    const session = await rack.open();
    Object.assign(rack.service.lies, lies);
    const failed = await failureOf(Promise.resolve(use(session)));
    assert.match(`${failed.code}: ${failed.message}`, expected);
    assert.ok(rack.service.requests.length < 100, `${rack.service.requests.length} requests`);
  });
}

test('a service that holds its answers is given up after the limit', async () => {
  await using rack = await redfishRack();
  const session = await rack.open({ timeoutMs: 300 });
  rack.service.lies.stalls = true;
  assert.equal((await failureOf(session.powerState())).code, 'timed-out');
  rack.service.lies.stalls = false;
});

test('a connection that the BMC has closed is opened again to read, and never to change', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  const { lies } = rack.service;
  lies.closes = { method: 'GET', times: 1 };
  assert.equal(await session.powerState(), 'off');
  lies.closes = { method: 'GET', times: 9 };
  assert.equal((await failureOf(session.powerState())).code, 'session-lost');
  assert.equal(lies.closes.times, 7);
  lies.closes = { method: 'POST', times: 9 };
  assert.equal((await failureOf(session.setPower('on'))).code, 'session-lost');
  assert.equal(lies.closes.times, 8);
});

/** Faults of the login, with the lies of the service and the changes of the target. */
const logins: readonly (readonly [name: string, RedfishLies, Parameters<RedfishRack['open']>[0], RegExp])[] =
  [
    [
      'a wrong password',
      {},
      { credentials: { username: 'admin', password: 'wrong' } },
      /^wrong-credentials: /,
    ],
    ['a locked account', { locksAccount: true }, {}, /^locked-account: .*locked out/],
    ['a redirect', { redirectsTo: 'https://192.0.2.66/' }, {}, /^redirected: /],
    ['a closed port', {}, { port: 9 }, /^unreachable: /],
    ['a name with a path', {}, { host: 'bmc/redfish' }, /^unreachable: .*not an address/],
    ['a name with a query', {}, { host: 'bmc?' }, /^unreachable: .*not an address/],
    ['a name with an account', {}, { host: 'a@bmc' }, /^unreachable: .*not an address/],
    [
      'another certificate',
      {},
      { trust: { kind: 'pin', sha256: '0'.repeat(64) } },
      /^untrusted-certificate: /,
    ],
    [
      'a certificate of no authority',
      {},
      { trust: { kind: 'authorities', certificates: [] } },
      /^untrusted-cert/,
    ],
  ];

for (const [name, lies, changes, expected] of logins) {
  test(`${name} ends the login with its code`, async () => {
    await using rack = await redfishRack({}, lies);
    const failed = await failureOf(rack.open(changes));
    assert.match(`${failed.code}: ${failed.message}`, expected);
    assert.equal(rack.service.sessions.size, 0);
  });
}

test('the pinned certificate is trusted', async () => {
  await using rack = await redfishRack();
  const session = await rack.open({ trust: { kind: 'pin', sha256: tlsSha256 } });
  assert.equal(await session.powerState(), 'off');
});

test('an ETag that changed meanwhile is read again once', async () => {
  for (const [features, lies] of [
    [{}, { matchRefusals: 1 }],
    [{ vendor: 'Lenovo' }, { matchRefusals: 1 }],
    [{}, { needsMatch: true }],
    [{ vendor: 'Lenovo' }, { needsMatch: true }],
    [{ vendor: 'Lenovo' }, { hasWeakEtags: true }],
    [{}, { needsMatch: true, hasWeakEtags: true }],
  ] as const) {
    await using rack = await redfishRack(features, lies);
    const session = await rack.open();
    await session.setBootDevice?.(pxe);
    assert.deepEqual(await session.bootDevice?.(), pxe);
  }
});

test('a vendor that wants If-Match gets it at once', async () => {
  const changes = async (vendor: string): Promise<number> => {
    await using rack = await redfishRack({ vendor }, { needsMatch: true });
    await (await rack.open()).setBootDevice?.(pxe);
    return rack.service.requests.filter((one) => one.startsWith('PATCH ')).length;
  };
  assert.deepEqual([await changes('Lenovo'), await changes('Acme')], [1, 2]);
});

test('a service that refuses the mode gets the device without it', async () => {
  await using rack = await redfishRack({}, { refusesMode: true });
  const session = await rack.open();
  await session.setBootDevice?.({ ...pxe, efiBoot: false });
  assert.deepEqual(await session.bootDevice?.(), pxe, 'the read-back reports the mode');
});

test('what a service only pretends is visible in the read-back', async () => {
  await using rack = await redfishRack(
    {},
    { ignoresPower: true, ignoresBootDevice: true, ignoresMedia: true },
  );
  const session = await rack.open();
  await session.setPower('on');
  assert.equal(await session.powerState(), 'off');
  await session.setBootDevice?.(pxe);
  assert.equal((await session.bootDevice?.())?.device, 'none');
  await session.setVirtualMedia?.(ISO);
  assert.deepEqual(await session.virtualMedia?.(), {});
});

test('an image that stays inserted does not pass for the next one', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  rack.machine.media = 'http://192.0.2.1/old.iso';
  rack.service.lies.ignoresMedia = true;
  const failed = await failureOf(session.setVirtualMedia!(ISO));
  assert.match(`${failed.code}: ${failed.message}`, /^not-applied: .*old.iso/);
});

test('an unknown power state is neither on nor off', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  for (const powerState of ['Banana', 'PoweringOn', 'constructor', '']) {
    rack.service.lies.powerState = powerState;
    assert.equal(await session.powerState(), 'unknown');
  }
});

test('a boot source that settings cannot express is not a success', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  const Boot = { BootSourceOverrideTarget: 'UefiTarget', BootSourceOverrideEnabled: 'Once' };
  rack.service.lies.resourceText = JSON.stringify({ Boot });
  assert.match((await failureOf(session.bootDevice!())).message, /boots from UefiTarget/);
});

test('an override that is lost at the start is reported as none', async () => {
  await using rack = await redfishRack({}, { losesOverride: true });
  const session = await rack.open();
  await session.setBootDevice?.(pxe);
  await session.setPower('on');
  assert.deepEqual(rack.machine.boots, ['none']);
  assert.equal((await session.bootDevice?.())?.device, 'none');
});
