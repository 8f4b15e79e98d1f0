/** The driver against the simulated service of the sandbox, as it should behave. */
import type { BootSetting, PowerOperation } from '@tinkerbell/bmc';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, redfishRack, tlsSha256 } from '../testing/redfish-rack.ts';

const ISO = 'http://192.0.2.1/a.iso';

test('a session is used for all requests, and ended', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  assert.equal(await session.powerState(), 'off');
  assert.equal(rack.service.sessions.size, 1);
  assert.equal(session.certificateSha256?.(), tlsSha256);
  await session[Symbol.asyncDispose]();
  assert.equal(rack.service.sessions.size, 0);
  assert.deepEqual(rack.service.requests.slice(0, 2), [
    'GET /redfish/v1/',
    'POST /redfish/v1/SessionService/Sessions',
  ]);
});

test('the session ends even when the signal has aborted', async () => {
  await using rack = await redfishRack();
  const stopping = new AbortController();
  const session = await rack.open({}, {}, stopping.signal);
  stopping.abort();
  assert.equal((await failureOf(session.powerState())).code, 'aborted');
  await session[Symbol.asyncDispose]();
  assert.equal(rack.service.sessions.size, 0);
});

test('basic authentication is used when it is asked for, or when there are no sessions', async () => {
  for (const [features, options, lies] of [
    [{}, { useBasicAuth: true }, {}],
    [{ hasSessions: false }, {}, {}],
    [{}, {}, { hasSessionsInNameOnly: true }],
  ] as const) {
    await using rack = await redfishRack(features, lies);
    const session = await rack.open({}, options);
    assert.equal(await session.powerState(), 'off');
    assert.equal(rack.service.sessions.size, 0);
    const wrong = { credentials: { username: 'admin', password: 'wrong' } };
    assert.equal((await failureOf(rack.open(wrong, options))).code, 'wrong-credentials');
  }
});

test('power operations use the resets that the service allows', async () => {
  const performed = async (resets: readonly string[], operation: PowerOperation, hasActionInfo = false) => {
    await using rack = await redfishRack({ resets, hasActionInfo });
    rack.machine.isPowered = operation !== 'on';
    const session = await rack.open();
    const failed = await session.setPower(operation).catch((error: { code: string }) => error.code);
    return failed ?? rack.machine.operations;
  };
  const all = ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart', 'PowerCycle', 'PushPowerButton'];
  for (const operation of ['on', 'off', 'soft', 'cycle', 'reset'] as const)
    assert.deepEqual(await performed(all, operation, operation === 'soft'), [operation]);
  assert.deepEqual(await performed(['On', 'ForceOff'], 'cycle'), ['off', 'on']);
  assert.deepEqual(await performed(['PushPowerButton'], 'soft', true), ['soft']);
  assert.equal(await performed(['On', 'ForceOff'], 'soft'), 'unsupported');
});

test('the boot device is set and read', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  const settings: readonly BootSetting[] = [
    { device: 'pxe', persistent: false, efiBoot: true },
    { device: 'disk', persistent: true, efiBoot: false },
    { device: 'cdrom', persistent: false, efiBoot: true },
    { device: 'bios', persistent: false, efiBoot: true },
    { device: 'pxe', persistent: false, efiBoot: true, httpBootUri: 'http://192.0.2.1/ipxe.efi' },
    { device: 'none', persistent: false, efiBoot: true },
  ];
  for (const setting of settings) {
    await session.setBootDevice?.(setting);
    assert.deepEqual(await session.bootDevice?.(), setting);
  }
  const safe = { device: 'safe', persistent: false, efiBoot: true } as const;
  assert.equal((await failureOf(session.setBootDevice!(safe))).code, 'unsupported');
});

test('the boot device is set in the settings of the system, where firmware wants it there', async () => {
  const pxe = { device: 'pxe', persistent: false, efiBoot: true } as const;
  await using rack = await redfishRack({ bootIn: 'settings' });
  const session = await rack.open();
  await session.setBootDevice?.(pxe);
  assert.deepEqual(await session.bootDevice?.(), pxe);
  assert.ok(rack.service.requests.includes('PATCH /redfish/v1/Systems/1/SD'));
  await session.setPower('on');
  assert.deepEqual(rack.machine.boots, ['pxe']);
});

test('settings without allowed values have those of the system', async () => {
  // Its CD is called UsbCd, except where only Cd is allowed.
  await using rack = await redfishRack({ bootIn: 'settings', vendor: 'Supermicro' });
  const session = await rack.open();
  const cdrom = { device: 'cdrom', persistent: false, efiBoot: true } as const;
  await session.setBootDevice?.(cdrom);
  assert.deepEqual(await session.bootDevice?.(), cdrom);
});

test('settings that are absent, or without a boot override, do not count', async () => {
  const pxe = { device: 'pxe', persistent: false, efiBoot: true } as const;
  await using rack = await redfishRack({ bootIn: 'settings' }, { missing: /SD$/ });
  const session = await rack.open();
  const refused = await failureOf(session.setBootDevice!(pxe));
  assert.match(refused.message, /PATCH \/redfish\/v1\/Systems\/1: .*FutureState/);
});

test('a setting for one boot is used once, and a persistent one stays', async () => {
  await using rack = await redfishRack();
  const session = await rack.open();
  await session.setBootDevice?.({ device: 'pxe', persistent: false, efiBoot: true });
  await session.setPower('on');
  await session.setPower('reset');
  await session.setBootDevice?.({ device: 'disk', persistent: true, efiBoot: true });
  await session.setPower('cycle');
  await session.setPower('cycle');
  assert.deepEqual(rack.machine.boots, ['pxe', 'none', 'disk', 'disk']);
});

test('a service without a boot override or a mode says so', async () => {
  {
    await using rack = await redfishRack({ reportsBoot: false });
    const session = await rack.open();
    assert.equal(await session.bootDevice?.(), undefined);
    const pxe = { device: 'pxe', persistent: false, efiBoot: true } as const;
    assert.equal((await failureOf(session.setBootDevice!(pxe))).code, 'unsupported');
  }
  await using rack = await redfishRack({ reportsMode: false });
  const session = await rack.open();
  const bios = { device: 'pxe', persistent: false, efiBoot: false } as const;
  await session.setBootDevice?.(bios);
  assert.deepEqual(await session.bootDevice?.(), bios);
});

test('an image is inserted, replaced and ejected', async () => {
  for (const features of [
    {},
    { mediaIn: 'system' },
    { hasMediaActions: false },
    { vendor: 'Lenovo', hasMediaActions: false },
    { vendor: 'HPE' },
    { pageSize: 1 },
  ] as const) {
    await using rack = await redfishRack(features);
    const session = await rack.open();
    assert.deepEqual(await session.virtualMedia?.(), {});
    await session.setVirtualMedia?.(undefined);
    for (const url of [ISO, 'http://192.0.2.1/b.iso']) {
      await session.setVirtualMedia?.(url);
      assert.equal(rack.machine.media, url);
      assert.deepEqual(await session.virtualMedia?.(), { url });
    }
    await session.setVirtualMedia?.(undefined);
    assert.equal(rack.machine.media, undefined);
  }
});

test('a parameter that the service misses is added', async () => {
  for (const insertNeeds of ['TransferProtocolType', 'TransferMethod', 'Inserted']) {
    await using rack = await redfishRack({}, { insertNeeds });
    await (await rack.open()).setVirtualMedia?.(ISO);
    assert.equal(rack.machine.media, ISO);
  }
  await using rack = await redfishRack({}, { insertNeeds: 'Password' });
  assert.equal((await failureOf((await rack.open()).setVirtualMedia!(ISO))).code, 'rejected');
});

test('the system is the one that is named, or the only one', async () => {
  await using rack = await redfishRack({ systems: ['node-1', 'node-2'], pageSize: 1 });
  const ambiguous = await failureOf(rack.open());
  assert.match(`${ambiguous.code}: ${ambiguous.message}`, /unsupported: .*node-1, node-2; set .*systemName/);
  assert.equal((await failureOf(rack.open({}, { systemName: 'node-3' }))).code, 'unsupported');
  assert.equal(rack.service.sessions.size, 0, 'a failed login leaves no session');
  const session = await rack.open({}, { systemName: 'node-1' });
  await session.setPower('on');
  assert.ok(rack.machine.isPowered);
});

test('changes wait for their tasks', async () => {
  await using rack = await redfishRack({}, { task: 'completes' });
  const session = await rack.open();
  await session.setPower('on');
  assert.equal(rack.service.requests.filter((one) => one.endsWith('/TaskService/Tasks/1')).length, 3);
});
