import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { nodeFiles } from '@tinkerbell/platform-node';
import { ipv4 } from '@tinkerbell/wire';
import { createBinaryInventory, withInventory } from './binary-inventory.ts';
import { createBootFiles } from './index.ts';
import { fixedView, rackConfig, silentLog } from '../testing/rack.ts';

/** An inventory of a folder with these files, a clock that the test sets, and the log lines. */
async function inventoryOf(context: TestContext, present: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'tinkerbell-binaries-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const put = (name: string, text: string) => writeFileSync(join(directory, name), text);
  for (const [name, text] of Object.entries(present)) put(name, text);
  const clock = { nowMs: () => 0, monotonicMs: () => clock.at, schedule: () => () => {}, at: 0 };
  const said: string[] = [];
  const write = (message: string, fields?: object) => void said.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, info: write, warn: write };
  const config = rackConfig({ ipxeDirectory: directory });
  const files = createBootFiles({ files: nodeFiles, view: fixedView([]), log, clock }, config);
  const inventory = createBinaryInventory({ clock, log }, { files, config });
  await inventory.load();
  return { inventory, said, clock, put, config };
}

test('reports a file that is not in the folder as missing, and logs it once with the fix', async (context) => {
  const { inventory, said } = await inventoryOf(context, { 'ipxe.efi': 'x 1.21.1+git2025 y' });
  assert.equal(inventory.lacks('ipxe.efi', 'tftp'), false);
  assert.equal(inventory.lacks('undionly.kpxe', 'tftp'), true);
  assert.equal(inventory.lacks('undionly.kpxe', 'http'), true);
  assert.match(said.at(-1) ?? '', /^iPXE binaries .*"served":"ipxe\.efi \(1\.21\.1\+git2025\)"/);
  assert.equal(said.filter((line) => line.includes('missing')).length, 2);
  assert.match(
    said[0] ?? '',
    /boot file missing: DHCP does not offer it .*undionly\.kpxe.*npm run setup -- ipxe/,
  );
});

test("finds a file under Debian's name for it", async (context) => {
  const { inventory } = await inventoryOf(context, { 'ipxe-arm64.efi': 'x' });
  assert.equal(inventory.lacks('snp-arm64.efi', 'tftp'), false);
});

test('warns about the iPXE of 2019, which hangs', async (context) => {
  const { said } = await inventoryOf(context, { 'ipxe.efi': '\x001.0.0+git-20190125.36a4c85-5.1\x00' });
  assert.ok(said.some((line) => /hangs under UEFI.*1\.0\.0\+git-20190125/.test(line)));
});

test('finds a file that is copied there later, and misses one that is removed', async (context) => {
  const { inventory, clock, put } = await inventoryOf(context, {});
  assert.equal(inventory.lacks('ipxe.efi', 'tftp'), true);
  put('ipxe.efi', 'x');
  clock.at = 10_000;
  inventory.lacks('ipxe.efi', 'tftp');
  while (inventory.lacks('ipxe.efi', 'tftp')) await new Promise(setImmediate);
});

test('remembers a bounded number of names', async (context) => {
  const { inventory } = await inventoryOf(context, {});
  for (let index = 0; index < 1_000; index += 1) inventory.lacks(`${index}.efi`, 'http');
  await new Promise((resolve) => setTimeout(resolve, 200));
  const missing = Array.from({ length: 1_000 }, (_, index) => inventory.lacks(`${index}.efi`, 'http'));
  assert.ok(missing.filter(Boolean).length <= 256);
});

test('does not report binaries that another server has', async (context) => {
  const { inventory, config } = await inventoryOf(context, {});
  const { netboot } = config;
  const elsewhere = {
    ...config,
    netboot: {
      ...netboot,
      tftp: { address: ipv4('192.168.77.9'), port: 69 },
      httpBinary: { url: 'http://files.example/', address: ipv4('192.168.77.9') },
    },
  };
  const { lacksBinary } = withInventory(elsewhere, inventory);
  assert.deepEqual([lacksBinary?.('ipxe.efi', 'tftp'), lacksBinary?.('ipxe.efi', 'http')], [false, false]);
  assert.equal(withInventory(config, inventory).lacksBinary?.('ipxe.efi', 'tftp'), true);
});
