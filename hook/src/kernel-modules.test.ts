import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseModulesDep, resolveModules } from './kernel-modules.ts';

const INDEX = parseModulesDep(
  'kernel/a/usb-storage.ko: kernel/b/scsi_mod.ko kernel/b/usbcore.ko\nkernel/b/scsi_mod.ko:\nkernel/c/zfs.ko.xz:\n',
);

test('selects a module with its dependencies, and treats dash and underscore as the same', () => {
  assert.deepEqual(resolveModules(['usb_storage'], INDEX, new Set()), [
    'kernel/a/usb-storage.ko',
    'kernel/b/scsi_mod.ko',
    'kernel/b/usbcore.ko',
  ]);
});

test('finds compressed modules', () => {
  assert.deepEqual(resolveModules(['zfs'], INDEX, new Set()), ['kernel/c/zfs.ko.xz']);
});

test('skips built-in modules and names missing ones', () => {
  assert.deepEqual(resolveModules(['atkbd'], INDEX, new Set(['atkbd'])), []);
  assert.throws(() => resolveModules(['nosuch'], INDEX, new Set()), /no module nosuch/);
});
