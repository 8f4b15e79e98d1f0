/** Tests kexec with loop devices. The files that it finds are not kernels, as the running kernel reports. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadFirst, readSettings } from './kexec.ts';

const skip = process.getuid?.() === 0 ? false : 'loop devices need root';
const context = { signal: new AbortController().signal };

/**
 * Creates a loop device for each folder, with its files as ext4. A device without a folder is unformatted.
 */
function devicesOf(
  test_: TestContext,
  ...contents: readonly (Readonly<Record<string, string>> | undefined)[]
) {
  return contents.map((content) => {
    const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-kexec-'));
    const [image, files] = [join(folder, 'image'), join(folder, 'files')];
    writeFileSync(image, '');
    truncateSync(image, 16 * 1024 * 1024);
    mkdirSync(join(files, 'grub'), { recursive: true });
    for (const [name, text] of Object.entries(content ?? {})) writeFileSync(join(files, name), text);
    if (content !== undefined) execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', files, image]);
    const device = execFileSync('losetup', ['--show', '-f', image], { encoding: 'utf8' }).trim();
    test_.after(() => {
      execFileSync('losetup', ['-d', device]);
      rmSync(folder, { recursive: true });
    });
    return device;
  });
}

test('finds the kernel on the partition that is /boot', { skip }, async (test_) => {
  const grub = "menuentry 'x' {\n linux /vmlinuz-6 root=LABEL=root\n}\n";
  const boot = { 'grub/grub.cfg': grub, 'vmlinuz-6': 'no kernel' };
  const [root = '', other = '', found = ''] = devicesOf(test_, {}, undefined, boot);
  const settings = readSettings({ BLOCK_DEVICE: root, FS_TYPE: 'ext4' });
  assert.equal(settings.mayBeElsewhere, true);
  await assert.rejects(
    loadFirst(settings, [other, found], context),
    /the kernel refused to load \/vmlinuz-6/,
  );
});

test('reports what is missing when no partition has it', { skip }, async (test_) => {
  const [root = '', other = ''] = devicesOf(test_, {}, undefined);
  const settings = readSettings({ BLOCK_DEVICE: root, FS_TYPE: 'ext4' });
  await assert.rejects(
    loadFirst(settings, [other], context),
    /has no boot\/grub\/grub\.cfg with a kernel in it, and no other partition of its disk has grub\/grub\.cfg: set KERNEL_PATH/,
  );
});

test('a named kernel or grub.cfg is searched only on the named device', () => {
  const device = { BLOCK_DEVICE: '/dev/sda1', FS_TYPE: 'ext4' };
  for (const named of [{ KERNEL_PATH: '/k' }, { GRUBCFG_PATH: 'g' }] as Record<string, string>[])
    assert.equal(readSettings({ ...device, ...named }).mayBeElsewhere, false);
});
