/** A small system with Debian's GRUB on a partitioned loop device. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';

import type { ActionResult } from '@tinkerbell/action-kit';
import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { grub2diskAction } from './grub2disk.ts';

const directory = mkdtempSync(join(tmpdir(), 'grub2disk-test-'));
after(() => rmSync(directory, { recursive: true }));
const BUSYBOX = '/bin/busybox';
const MODULES = '/usr/lib/grub/i386-pc';
const PROGRAMS = [
  ...['grub-install', 'grub-mkconfig', 'grub-probe'].map((name) => `/usr/sbin/${name}`),
  ...['grub-mkimage', 'grub-editenv', 'grub-script-check', 'grub-mkrelpath'].map(
    (name) => `/usr/bin/${name}`,
  ),
  '/usr/lib/grub/i386-pc/grub-bios-setup',
];
const isPresent = [BUSYBOX, MODULES, ...PROGRAMS].every((path) => existsSync(path));
const skip = isPresent
  ? missingPrograms('sfdisk', 'mke2fs')
  : 'needs the packages busybox-static, grub2-common and grub-pc-bin';

/** GRUB, the libraries that it needs, and a shell. */
function systemTree(): string {
  const root = mkdtempSync(join(directory, 'root-'));
  const libraries = PROGRAMS.flatMap((path) => {
    try {
      return execFileSync('ldd', [path], { stdio: 'pipe' }).toString().match(/\/\S+/g) ?? [];
    } catch {
      // A script.
      return [];
    }
  });
  mkdirSync(join(root, 'usr/lib64'), { recursive: true });
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  mkdirSync(join(root, 'usr/lib'), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  const files = [
    MODULES,
    '/usr/lib/grub/grub-mkconfig_lib',
    BUSYBOX,
    '/usr/share/grub',
    ...PROGRAMS,
    ...libraries,
  ];
  execFileSync('sh', ['-c', 'cp -aL --parents "$@" 2>/dev/null; true', 'sh', ...new Set(files), root]);
  for (const directory of ['tmp', 'etc/grub.d', 'boot', 'usr/local'])
    mkdirSync(join(root, directory), { recursive: true });
  const entry = '#!/bin/sh\necho "menuentry system { true }"\n';
  writeFileSync(join(root, 'etc/grub.d/40_custom'), entry, { mode: 0o755 });
  execFileSync('chroot', [root, '/bin/busybox', '--install', '-s', '/usr/bin'], { stdio: 'pipe' });
  return root;
}

/**
 * Returns a disk for the boot code, and one that is a file system. GRUB finds loop devices only in its device
 * map, and no partitions on them.
 */
function disksWith(
  context: TestContext,
  root: string,
): { readonly boot: string; readonly system: string; readonly bootPath: string } | undefined {
  const [bootPath, systemPath] = ['boot', 'system'].map((name) => {
    const path = join(directory, name);
    rmSync(path, { force: true });
    writeFileSync(path, '');
    truncateSync(path, 128 * 1024 * 1024);
    return path;
  }) as [string, string];
  execFileSync('sfdisk', ['-q', bootPath], { input: 'label: dos\n2048,,L,*\n', stdio: 'pipe' });
  const boot = loopDevice(context, bootPath);
  const system = boot && loopDevice(context, systemPath);
  if (boot === undefined || system === undefined) return undefined;
  mkdirSync(join(root, 'boot/grub'), { recursive: true });
  writeFileSync(join(root, 'boot/grub/device.map'), `(hd0) ${boot}\n(hd1) ${system}\n`);
  execFileSync('mke2fs', ['-q', '-F', '-t', 'ext4', '-d', root, system], { stdio: 'pipe' });
  return { boot, system, bootPath };
}

function run(disks: { readonly boot: string; readonly system: string }): Promise<ActionResult> {
  const environment = { GRUB_INSTALL_PATH: disks.boot, GRUB_DISK: disks.system, FS_TYPE: 'ext4' };
  return grub2diskAction.run(environment, quietContext());
}

test('writes boot code, modules and a configuration', { skip }, async (context) => {
  const disks = disksWith(context, systemTree());
  if (disks === undefined) return;
  const result = await run(disks);
  assert.ok(result.ok, result.ok ? '' : result.error);
  execFileSync('sync');
  assert.ok(readFileSync(disks.bootPath).subarray(0, 440).includes('GRUB'));
  const list = execFileSync('debugfs', ['-R', 'ls /boot/grub', disks.system], { stdio: 'pipe' }).toString();
  for (const name of ['grub.cfg', 'i386-pc', 'grubenv']) assert.ok(list.includes(name), `${name} in ${list}`);
  const menu = execFileSync('debugfs', ['-R', 'cat /boot/grub/grub.cfg', disks.system], { stdio: 'pipe' });
  assert.match(menu.toString(), /menuentry system/);
  assert.ok(!readFileSync('/proc/mounts', 'utf8').includes(disks.system), 'nothing stays mounted');
});

test('a system without GRUB, and a link instead of /dev, are handled', { skip }, async (context) => {
  const root = systemTree();
  rmSync(join(root, 'usr/sbin/grub-install'));
  const outside = mkdtempSync(join(directory, 'outside-'));
  symlinkSync(outside, join(root, 'dev'));
  const disks = disksWith(context, root);
  if (disks === undefined) return;
  const result = await run(disks);
  assert.match(
    result.ok ? '' : result.error,
    /has no grub-install: install the package of GRUB in the image/,
  );
  assert.deepEqual(readdirSync(outside), [], 'nothing was mounted there');
  const list = execFileSync('debugfs', ['-R', `ls ${outside}`, disks.system], { stdio: 'pipe' }).toString();
  assert.ok(!list.includes('not found'), 'the link was followed in the file system');
});

test('names every wrong variable', async () => {
  const result = await grub2diskAction.run({ GRUB_INSTALL_PATH: 'hd0' }, quietContext());
  assert.match(
    result.ok ? '' : result.error,
    /GRUB_INSTALL_PATH=hd0 must.*GRUB_DISK is missing.*FS_TYPE is missing/,
  );
});
