import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { ISO_MAGIC } from '@tinkerbell/netboot';

import { buildIso } from './iso.ts';
import { runCommand } from './run-command.ts';

const TOOLS = ['xorriso', 'grub-mkimage', 'mformat'];
const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
const hasModules = spawnSync('test', ['-e', '/usr/lib/grub/i386-pc/normal.mod']).status === 0;
const skip = missing.length > 0 || !hasModules ? `needs ${TOOLS.join(', ')} and GRUB's modules` : false;

const directory = mkdtempSync(join(tmpdir(), 'hook-iso-test-'));
after(() => rmSync(directory, { recursive: true }));

test(
  'an image boots as CD and disk by BIOS and UEFI, contains the magic once, and is the same every time',
  { skip },
  async () => {
    writeFileSync(join(directory, 'vmlinuz-x86_64'), 'kernel');
    writeFileSync(join(directory, 'initramfs-x86_64'), 'initramfs');
    const options = { architecture: 'x86_64', directory, cacheDirectory: join(directory, 'cache') } as const;
    const { path, bytes } = await buildIso(options);
    assert.equal(path, join(directory, 'hook-x86_64.iso'));
    const image = readFileSync(path);
    assert.equal(image.length, bytes);
    assert.equal(image.toString('latin1').split(ISO_MAGIC).length, 2);

    const report = ['-report_el_torito', 'plain', '-report_system_area', 'plain'];
    const said = await runCommand('xorriso', ['-indev', path, ...report, '-find', '/']);
    assert.match(said, /boot img : +1 +BIOS +y +none/);
    assert.match(said, /boot img : +2 +UEFI +y +none/);
    assert.match(said, /grub2-mbr/);
    assert.match(said, /EFI boot partition|GPT partition path : +2 +\/boot\/grub\/efi\.img/);
    for (const name of ['/EFI/BOOT/BOOTX64.EFI', '/boot/vmlinuz-x86_64', '/boot/initramfs-x86_64'])
      assert.ok(said.includes(`'${name}'`), name);

    await buildIso(options);
    assert.ok(readFileSync(path).equals(image));
    assert.deepEqual(readdirSync(directory).toSorted(), [
      'hook-x86_64.iso',
      'initramfs-x86_64',
      'vmlinuz-x86_64',
    ]);
  },
);

test('a failed build leaves nothing of the image', { skip }, async () => {
  const empty = mkdtempSync(join(directory, 'empty-'));
  const options = { architecture: 'x86_64', directory: empty, cacheDirectory: empty } as const;
  await assert.rejects(buildIso(options), /vmlinuz-x86_64/);
  assert.deepEqual(readdirSync(empty), []);
});
