import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootOverride } from '@tinkerbell/redfish';
import { overrideFor, redfishVendorOf, settingFrom, type BootSetting } from '../index.ts';

const boot: BootOverride = {
  target: 'None',
  enabled: 'Disabled',
  mode: 'Legacy',
  uefiTarget: undefined,
  httpBootUri: undefined,
  hasHttpBootUri: false,
  allowedTargets: ['None', 'Pxe', 'Hdd', 'Cd', 'UsbCd', 'BiosSetup', 'UefiHttp'],
  allowedEnabled: undefined,
  allowedModes: undefined,
};
const vendor = (name = 'generic') => redfishVendorOf({ names: [name], oem: [] });
const once: BootSetting = { device: 'pxe', persistent: false, efiBoot: true };
const change = (setting: BootSetting, of: Partial<BootOverride> = {}, name?: string) =>
  overrideFor(setting, { ...boot, ...of }, vendor(name));

test('an override states target, duration and a mode that differs', () => {
  assert.deepEqual(change(once), {
    ok: true,
    boot: {
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideTarget: 'Pxe',
      BootSourceOverrideMode: 'UEFI',
    },
  });
  assert.deepEqual(change({ device: 'disk', persistent: true, efiBoot: false }), {
    ok: true,
    boot: { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' },
  });
  assert.deepEqual(change({ ...once, device: 'none' }, { allowedTargets: ['Pxe'] }), {
    ok: true,
    boot: { BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'None' },
  });
});

test('the mode follows the vendor', () => {
  const modeOf = (mode: string | undefined, name: string) => {
    const result = change(once, { mode }, name);
    return result.ok ? result.boot['BootSourceOverrideMode'] : result.message;
  };
  assert.equal(modeOf('UEFI', 'Supermicro'), 'UEFI');
  assert.equal(modeOf('Legacy', 'HPE'), undefined);
  assert.equal(modeOf(undefined, 'Dell'), undefined);
});

test('a CD has the name that boots', () => {
  const targetOf = (name: string, allowedTargets: readonly string[] | undefined) => {
    const result = change({ ...once, device: 'cdrom' }, { allowedTargets }, name);
    return result.ok ? result.boot['BootSourceOverrideTarget'] : result.message;
  };
  assert.equal(targetOf('Supermicro', ['Cd', 'UsbCd']), 'UsbCd');
  assert.equal(targetOf('Dell', ['Cd', 'UsbCd']), 'Cd');
  assert.equal(targetOf('Dell', ['UsbCd']), 'UsbCd');
  assert.equal(targetOf('Dell', undefined), 'Cd');
});

test('HTTP boot needs the target and the member for the URL', () => {
  const http = { ...once, httpBootUri: 'http://192.0.2.1/ipxe.efi' };
  assert.deepEqual(change(http, { hasHttpBootUri: true, mode: 'UEFI' }), {
    ok: true,
    boot: {
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideTarget: 'UefiHttp',
      HttpBootUri: 'http://192.0.2.1/ipxe.efi',
    },
  });
  assert.equal(change(http).ok, false);
  assert.equal(change(http, { hasHttpBootUri: true, allowedTargets: ['Pxe'] }).ok, false);
});

test('what the BMC lacks is named', () => {
  assert.deepEqual(change(once, { allowedTargets: ['Hdd'] }), {
    ok: false,
    message: 'the BMC cannot boot from pxe; it allows Hdd',
  });
  assert.equal(change({ ...once, device: 'safe' }).ok, false);
});

test('an override is read as a setting', () => {
  const read = (of: Partial<BootOverride>, assumed = true) => settingFrom({ ...boot, ...of }, assumed);
  const setting = (device: string, persistent = false, efiBoot = true) => ({
    kind: 'setting',
    setting: { device, persistent, efiBoot },
  });
  assert.deepEqual(read({ target: 'Pxe', enabled: 'Once', mode: 'UEFI' }), setting('pxe'));
  assert.deepEqual(read({ target: 'UsbCd', enabled: 'Continuous', mode: 'UEFI' }), setting('cdrom', true));
  assert.deepEqual(read({ target: 'Hdd', enabled: 'Once' }), setting('disk', false, false));
  assert.deepEqual(read({ target: 'Hdd', enabled: 'Once', mode: undefined }), setting('disk'));
  assert.deepEqual(read({ target: 'Pxe', enabled: 'Disabled' }), setting('none', false, false));
  assert.deepEqual(read({ target: 'None', enabled: 'Once', mode: 'UEFI' }), setting('none'));
  assert.deepEqual(read({ target: 'UefiTarget', enabled: 'Once' }), { kind: 'other', target: 'UefiTarget' });
  assert.deepEqual(read({ target: 'constructor', enabled: 'Once' }), {
    kind: 'other',
    target: 'constructor',
  });
  assert.deepEqual(read({ target: undefined, enabled: undefined }), { kind: 'not-reported' });
  assert.deepEqual(settingFrom(undefined, true), { kind: 'not-reported' });
  assert.deepEqual(read({ target: 'UefiHttp', enabled: 'Once', mode: 'UEFI', httpBootUri: 'http://a/' }), {
    kind: 'setting',
    setting: { device: 'pxe', persistent: false, efiBoot: true, httpBootUri: 'http://a/' },
  });
});
