import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootSetting } from '@tinkerbell/bmc';
import { amtRack } from '../testing/amt-rack.ts';
import { codeOf } from '../testing/code-of.ts';

const once: BootSetting = { device: 'pxe', persistent: false, efiBoot: true };
const url = 'https://boot.example/hook.iso';

test('the machine reports what it boots from next', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  assert.equal((await session.bootDevice?.())?.device, 'none');
  for (const device of ['pxe', 'disk', 'cdrom', 'bios', 'none'] as const) {
    await session.setBootDevice?.({ ...once, device });
    assert.deepEqual(await session.bootDevice?.(), { ...once, device });
  }
  await session.setBootDevice?.(once);
  await session.setPower('on');
  assert.equal((await session.bootDevice?.())?.device, 'none', 'the setting is for one boot');
  assert.deepEqual(rack.machine.boots, ['pxe']);
});

test('the machine boots once from an https URL', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  await session.setBootDevice?.({ ...once, httpBootUri: url });
  assert.equal(rack.machine.httpBootUri, url);
  assert.deepEqual(await session.bootDevice?.(), { ...once, httpBootUri: url });
  await using other = await rack.open();
  assert.equal((await other.bootDevice?.())?.httpBootUri, url, 'the firmware shows it');
  await session.setPower('on');
  assert.equal(rack.machine.httpBootUri, undefined);
  await session.setBootDevice?.(once);
  assert.deepEqual(await session.bootDevice?.(), once, 'the URL is gone');
});

test('firmware that hides the URL has still taken it', async () => {
  await using rack = await amtRack({ hidesUrl: true });
  await using session = await rack.open();
  await session.setBootDevice?.({ ...once, httpBootUri: url });
  assert.deepEqual(await session.bootDevice?.(), { ...once, httpBootUri: url });
  assert.equal(rack.machine.httpBootUri, url);
});

test('firmware that ignores the setting does not report it', async () => {
  await using rack = await amtRack({ ignoresBoot: true });
  await using session = await rack.open();
  for (const setting of [once, { ...once, httpBootUri: url }]) {
    await session.setBootDevice?.(setting);
    assert.equal((await session.bootDevice?.())?.device, 'none');
  }
});

test('firmware without the associations does not report the setting', async () => {
  await using rack = await amtRack({ missing: /ElementSettingData/ });
  await using session = await rack.open();
  await session.setBootDevice?.(once);
  assert.equal(await session.bootDevice?.(), undefined);
});

for (const [httpsBoot, why] of [
  ['disabled', /disabled in the BIOS settings/],
  ['absent', /needs AMT 15/],
] as const)
  test(`HTTPS boot is ${httpsBoot}: unsupported, with the way out, and nothing changes`, async () => {
    await using rack = await amtRack({ httpsBoot });
    await using session = await rack.open();
    const refused = session.setBootDevice?.({ ...once, httpBootUri: url }) ?? Promise.resolve();
    await assert.rejects(refused, { code: 'unsupported', message: why });
    assert.equal(rack.machine.bootFlags === undefined, true);
    await session.setBootDevice?.(once);
    assert.equal(rack.machine.bootFlags?.device, 'pxe', 'the network works');
  });

test('a read that fails for another reason is a failure', async () => {
  await using rack = await amtRack();
  await using session = await rack.open();
  rack.amt.service.lies.answerText = '<html/>';
  assert.equal(await codeOf(session.bootDevice?.() ?? Promise.resolve()), 'invalid-answer');
});
