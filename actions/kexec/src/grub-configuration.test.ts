import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defaultBootEntry } from './grub-configuration.ts';

const DEBIAN = `set default="0"
function savedefault {
}
menuentry 'Debian GNU/Linux' --class debian {
	search --no-floppy --fs-uuid --set=root 1234
	echo	'Loading Linux 6.1.0-56-amd64 ...'
	linux	/boot/vmlinuz-6.1.0-56-amd64 root=UUID=1234 ro  quiet
	initrd	/boot/early.img /boot/initrd.img-6.1.0-56-amd64
}
submenu 'Advanced options' {
	menuentry "Old one" {
		linux /boot/vmlinuz-old root=/dev/sda1
	}
}
`;

test('returns the first entry with its kernel, arguments and all its initramfs files', () => {
  assert.deepEqual(defaultBootEntry(DEBIAN), {
    kernelPath: '/boot/vmlinuz-6.1.0-56-amd64',
    initramfsPaths: ['/boot/early.img', '/boot/initrd.img-6.1.0-56-amd64'],
    commandLine: 'root=UUID=1234 ro quiet',
  });
});

test('returns the default entry by number or title', () => {
  const old = { kernelPath: '/boot/vmlinuz-old', initramfsPaths: [], commandLine: 'root=/dev/sda1' };
  assert.deepEqual(defaultBootEntry(DEBIAN.replace('default="0"', 'default="1"')), old);
  assert.deepEqual(
    defaultBootEntry(DEBIAN.replace('default="0"', 'default=Old').replace('Old one', 'Old')),
    old,
  );
});

test('falls back to the first entry when the default is a variable or unknown', () => {
  const first = '/boot/vmlinuz-6.1.0-56-amd64';
  assert.equal(defaultBootEntry(DEBIAN.replace('"0"', '"${saved_entry}"'))?.kernelPath, first);
  assert.equal(defaultBootEntry(DEBIAN.replace('"0"', '"7"'))?.kernelPath, first);
});

test('returns nothing when no entry has a kernel', () => {
  assert.equal(defaultBootEntry("menuentry 'x' {\n chainloader +1\n}"), undefined);
  assert.equal(defaultBootEntry(''), undefined);
});
