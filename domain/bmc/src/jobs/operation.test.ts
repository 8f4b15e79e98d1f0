import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcAction } from '@tinkerbell/resources';
import { describeOperation, operationOf } from './operation.ts';

const valid: readonly (readonly [BmcAction, string])[] = [
  [{ powerAction: 'cycle' }, 'power cycle'],
  [{ powerAction: 'status' }, 'read the power state'],
  [{ oneTimeBootDeviceAction: { device: ['pxe', 'disk'], efiBoot: true } }, 'boot from pxe once (UEFI)'],
  [{ bootDevice: { device: 'disk', persistent: true } }, 'boot from disk always (BIOS)'],
  [{ bootDevice: { device: 'PXE' } }, 'boot from pxe once (BIOS)'],
  [{ bootDevice: { device: 'http', httpBootURL: 'http://a/b.efi' } }, 'boot from http://a/b.efi once (UEFI)'],
  [
    { bootDevice: { device: 'HTTP', httpBootURL: 'https://a/', persistent: true, efiBoot: false } },
    'boot from https://a/ always (UEFI)',
  ],
  [{ virtualMediaAction: { kind: 'cd', mediaURL: 'http://a/b.iso' } }, 'insert http://a/b.iso'],
  [{ virtualMediaAction: { kind: 'CD', mediaURL: '' } }, 'eject the virtual CD'],
  [{ virtualMediaAction: { kind: 'CD' } }, 'eject the virtual CD'],
];

for (const [action, description] of valid) {
  test(`${JSON.stringify(action)} means: ${description}`, () => {
    const result = operationOf(action);
    assert.ok(result.ok);
    assert.equal(describeOperation(result.operation), description);
  });
}

const invalid: readonly (readonly [BmcAction, RegExp])[] = [
  [{}, /no operation; set powerAction/],
  [{ bootDevice: { device: 'floppy' } }, /bootDevice.device: "floppy": must be one of pxe/],
  [{ bootDevice: { device: 'floppy' } }, /, safe, http$/],
  [{ bootDevice: { device: 'http' } }, /bootDevice.httpBootURL: "": must be an http or https URL/],
  [
    { bootDevice: { device: 'http', httpBootURL: 'ftp://a/' } },
    /"ftp:\/\/a\/": must be an http or https URL/,
  ],
  [{ bootDevice: { device: 'http', httpBootURL: 'http://a/ b' } }, /must be an http or https URL/],
  [{ bootDevice: { device: 'http', httpBootURL: `http://a/${'b'.repeat(2000)}` } }, /at most 2000/],
  [{ bootDevice: { device: 'pxe', httpBootURL: 'http://a/' } }, /needs the device http, not "pxe"/],
  [{ oneTimeBootDeviceAction: { device: ['http'] } }, /device\[0\]: "http": must be one of .*safe$/],
  [{ oneTimeBootDeviceAction: { device: [] } }, /oneTimeBootDeviceAction.device\[0\]: "": must be one of/],
  [{ virtualMediaAction: { kind: 'Floppy' } }, /virtualMediaAction.kind: "Floppy": must be CD/],
];

for (const [action, message] of invalid) {
  test(`${JSON.stringify(action)} is rejected with its field`, () => {
    const result = operationOf(action);
    assert.ok(!result.ok);
    assert.match(result.message, message);
  });
}
