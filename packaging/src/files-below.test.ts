import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesBelow } from './files-below.ts';

test('files and links of a folder are in the package, sorted by path', () => {
  const directory = mkdtempSync(join(tmpdir(), 'files-below-'));
  mkdirSync(join(directory, 'arm'));
  writeFileSync(join(directory, 'undionly.kpxe'), 'bios');
  writeFileSync(join(directory, 'ipxe-amd64.efi'), 'uefi');
  symlinkSync('ipxe-amd64.efi', join(directory, 'ipxe.efi'));
  writeFileSync(join(directory, 'arm/snp.efi'), 'arm');
  const entries = filesBelow(directory, 'usr/lib/ipxe').map((entry) =>
    entry.kind === 'file' ? { ...entry, content: Buffer.from(entry.content).toString() } : entry,
  );
  const file = { kind: 'file', mode: 0o644 };
  assert.deepEqual(entries, [
    { ...file, path: 'usr/lib/ipxe/arm/snp.efi', content: 'arm' },
    { ...file, path: 'usr/lib/ipxe/ipxe-amd64.efi', content: 'uefi' },
    { kind: 'link', path: 'usr/lib/ipxe/ipxe.efi', target: 'ipxe-amd64.efi' },
    { ...file, path: 'usr/lib/ipxe/undionly.kpxe', content: 'bios' },
  ]);
  rmSync(directory, { recursive: true });
});
