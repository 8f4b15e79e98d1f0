/** On a directory instead of efivarfs, with a partitioned loop device. efibootmgr reads what we write. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loopDevice, missingPrograms, quietContext } from '@tinkerbell/action-kit/testing';

import { EfiVariables } from './efi-variables.ts';
import { efibootsetAction, setBoot } from './efibootset.ts';
import { readSettings } from './settings.ts';

const directory = mkdtempSync(join(tmpdir(), 'efibootset-test-'));
after(() => rmSync(directory, { recursive: true }));
const GLOBAL = '8be4df61-93ca-11d2-aa0d-00e098032b8c';
const PARTITION_ID = '11111111-2222-4333-8444-555555555555';

/** A firmware that boots the network, with a hole in its numbers. */
function firmware(): string {
  const path = mkdtempSync(join(directory, 'vars-'));
  const put = (name: string, hex: string): void =>
    writeFileSync(join(path, `${name}-${GLOBAL}`), Buffer.from(`07000000${hex}`, 'hex'));
  put('Boot0000', '01000000 0400 5000 5800 4500 0000 7fff0400'.replaceAll(' ', ''));
  put('Boot0002', '01000000 0400 4100 0000 7fff0400'.replaceAll(' ', ''));
  put('BootOrder', '00000200');
  put('Boot0003', '0100');
  return path;
}

function valueOf(path: string, name: string): string {
  return readFileSync(join(path, `${name}-${GLOBAL}`)).toString('hex');
}

function diskImage(): string {
  const path = join(directory, 'disk.img');
  writeFileSync(path, '');
  truncateSync(path, 64 * 1024 * 1024);
  const first = ['--new=1:2048:+16M', '--typecode=1:ef00', `--partition-guid=1:${PARTITION_ID}`];
  execFileSync('sgdisk', [...first, '--new=2:0:0', path]);
  return path;
}

const skip = missingPrograms('sgdisk');

test('creates an entry at the first place, and repeats without a second one', { skip }, async (context) => {
  const device = loopDevice(context, diskImage());
  if (device === undefined) return;
  const path = firmware();
  const settings = readSettings(
    { BOOT_LABEL: 'debian', BOOT_DISK: device, BOOT_LOADER: '/EFI/debian/shimx64.efi' },
    'x64',
  );
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await setBoot(settings, new EfiVariables(path)), 'Boot0001 (debian) boots first');
    assert.equal(valueOf(path, 'BootOrder'), '07000000010000000200');
    assert.equal(readdirSync(path).filter((name) => /^Boot\d/.test(name)).length, 4);
  }
  const entry = valueOf(path, 'Boot0001');
  assert.ok(entry.includes('00080000000000000080000000000000'), 'first sector 2048 and 32768 sectors');
  assert.ok(entry.includes('11111111222233438444555555555555'), 'the id of the partition');
  const last = { ...settings, place: 'last' } as const;
  await setBoot(last, new EfiVariables(path));
  assert.equal(valueOf(path, 'BootOrder'), '07000000000002000100');
  await setBoot({ ...settings, place: 'next' }, new EfiVariables(path));
  assert.equal(valueOf(path, 'BootNext'), '070000000100');
  assert.equal(valueOf(path, 'BootOrder'), '07000000000002000100', 'next leaves the order');
});

test(
  'efibootmgr reads the entry and the order',
  { skip: missingPrograms('sgdisk', 'efibootmgr') },
  async (context) => {
    const device = loopDevice(context, diskImage());
    if (device === undefined) return;
    const path = firmware();
    rmSync(join(path, `Boot0003-${GLOBAL}`));
    const settings = readSettings({ BOOT_LABEL: 'größe', BOOT_DISK: device }, 'arm64');
    await setBoot(settings, new EfiVariables(path));
    let text: string;
    try {
      const env = { ...process.env, EFIVARFS_PATH: `${path}/`, LC_ALL: 'C.UTF-8' };
      text = execFileSync('efibootmgr', ['-v'], { stdio: 'pipe', env }).toString();
    } catch (error) {
      context.skip(`efibootmgr does not read a directory here: ${String(error).split('\n')[1]}`);
      return;
    }
    assert.match(text, /BootOrder: 0001,0000,0002/);
    assert.match(
      text,
      /Boot0001\* gr.*e\s+HD\(1,GPT,11111111-2222-4333-8444-555555555555,0x800,0x8000\)\/File\(\\EFI\\BOOT\\BOOTAA64\.EFI\)/,
    );
  },
);

test('selects an existing entry, and names those that exist', async () => {
  const path = firmware();
  await setBoot(readSettings({ BOOT_LABEL: 'A', BOOT_PLACE: 'first' }, 'x64'), new EfiVariables(path));
  assert.equal(valueOf(path, 'BootOrder'), '0700000002000000');
  await assert.rejects(
    setBoot(readSettings({ BOOT_LABEL: 'B' }, 'x64'), new EfiVariables(path)),
    /no boot entry has the name "B": this machine has "PXE", "A"/,
  );
});

test(
  'refuses a partition of another type, a disk without GPT, and a machine without UEFI',
  { skip },
  async (context) => {
    const image = diskImage();
    const device = loopDevice(context, image);
    if (device === undefined) return;
    const path = firmware();
    const set = (changes: Record<string, string>) =>
      setBoot(
        readSettings({ BOOT_LABEL: 'x', BOOT_DISK: device, ...changes }, 'x64'),
        new EfiVariables(path),
      );
    await assert.rejects(
      set({ BOOT_PARTITION: '2' }),
      /BOOT_PARTITION=2 is not an EFI system partition: .* has 1/,
    );
    await assert.rejects(set({ BOOT_PARTITION: '9' }), /BOOT_PARTITION=9 does not exist/);
    assert.equal(valueOf(path, 'BootOrder'), '0700000000000200', 'nothing was changed');
    execFileSync('sgdisk', ['--zap-all', image]);
    const empty = loopDevice(context, image);
    if (empty !== undefined) await assert.rejects(set({ BOOT_DISK: empty }), /has no GPT, which UEFI needs/);
    await assert.rejects(
      setBoot(readSettings({ BOOT_LABEL: 'x' }, 'x64'), new EfiVariables('/nonexistent')),
      /legacy BIOS mode, or is efivarfs not mounted/,
    );
  },
);

test('names every wrong variable', async () => {
  const result = await efibootsetAction.run(
    { BOOT_PLACE: 'middle', BOOT_PARTITION: '0', BOOT_LOADER: 'shim.efi' },
    quietContext(),
  );
  assert.match(
    result.ok ? '' : result.error,
    /BOOT_LABEL is missing.*BOOT_PLACE=middle.*BOOT_PARTITION=0.*BOOT_LOADER must be a path.*BOOT_DISK is missing/,
  );
});
