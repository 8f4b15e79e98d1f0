import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Hardware } from '@tinkerbell/resources';
import { PATCH_PLACEHOLDER } from '@tinkerbell/ipxe';
import { nodeFiles } from '@tinkerbell/platform-node';
import { fixedView, machine, MAC, rackConfig, silentLog, startRack, workflow } from '../testing/rack.ts';
import { createBootFiles, type BootFile } from './index.ts';
import { createFileStore } from './file-store.ts';

const ADDRESS = '192.168.77.10';
let directory: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'boot-files-'));
  const put = (path: string, text: string) => {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  put('ipxe/ipxe.efi', 'ipxe');
  put('ipxe/shimx64.efi.signed', 'shim');
  put('assets/grubnetx64.efi.signed', 'grub');
  put('assets/mmx64.efi', 'mok');
  put('assets/rpi4/start4.elf', 'start');
  put('assets/rpi4/cmdline.txt', 'from the folder');
  put('assets/own/grub.cfg', 'own grub');
  put('assets/vmlinuz', 'an asset');
  put('hook/vmlinuz-x86_64', 'kernel');
  put('hook/initramfs-x86_64', 'initrd');
  put('secret', 'secret');
});
after(() => rmSync(directory, { recursive: true }));

function config() {
  const base = rackConfig({
    ipxeDirectory: join(directory, 'ipxe'),
    hookDirectory: join(directory, 'hook'),
    pxeHttpPrefix: '/tftp/',
  });
  return { ...base, tftp: { ...base.tftp!, assetDirectory: join(directory, 'assets') } };
}

async function find(fileName: string, hardware: Hardware = machine(), state = '', clientAddress = ADDRESS) {
  const view = fixedView([hardware], state === '' ? [] : [workflow(state)]);
  const files = createBootFiles({ files: nodeFiles, view, log: silentLog, clock: steppedClock() }, config());
  const found = await files.find({ fileName, clientAddress });
  if (found.kind !== 'file') return found;
  return Buffer.from(await found.file.slice(0, found.file.sizeBytes)).toString();
}

/** Pauses until the test lets it continue. */
function steppedClock() {
  let nowMs = 0;
  const step = (milliseconds: number) => void (nowMs += milliseconds);
  return { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => {}, step };
}

async function textOf(fileName: string, state: string): Promise<string> {
  const found = await find(fileName, machine(), state);
  return typeof found === 'string' ? found : found.kind;
}

const kindOf = (found: Awaited<ReturnType<typeof find>>) => (typeof found === 'string' ? found : found.kind);

test('shim, GRUB and MokManager are found by the names that firmware, shim and Debian use', async () => {
  assert.equal(await find('shimx64.efi'), 'shim');
  assert.equal(await find(`${MAC}/shimx64.efi.signed`), 'shim');
  assert.equal(await find('EFI/BOOT/grubx64.efi'), 'grub');
  assert.equal(await find('grubnetx64.efi.signed'), 'grub');
  assert.equal(await find('mmx64.efi'), 'mok');
  assert.equal(kindOf(await find('grubaa64.efi')), 'not-found');
  assert.equal(await find(`${MAC}/ipxe.efi`), 'ipxe');
});

test('PXELINUX gets the configuration of the Hardware, else the in-memory OS while there is work, else the disk', async () => {
  const own = machine({ netboot: { pxelinux: { config: 'DEFAULT own' } } });
  for (const name of [
    'pxelinux.cfg/01-02-00-5e-10-00-01',
    'x/pxelinux.cfg/01-02-00-5E-10-00-01',
    'pxelinux.cfg/C0A84D0A',
    'pxelinux.cfg/C0A8',
    'pxelinux.cfg/default',
    'pxelinux.cfg/default-arm-bcm283x',
    'pxelinux.cfg/8a1e3c0f-2b4d-4c6e-9f10-0123456789ab',
  ]) {
    assert.equal(await find(name, own, 'SUCCESS'), 'DEFAULT own', name);
    assert.match(await textOf(name, 'PENDING'), /KERNEL hook\/vmlinuz-x86_64\n[^]*hw_addr=/);
    assert.match(await textOf(name, 'SUCCESS'), /LOCALBOOT 0/);
  }
  const stranger = '192.168.77.99';
  assert.equal(kindOf(await find('pxelinux.cfg/default', own, '', stranger)), 'not-found');
  assert.equal(await find('pxelinux.cfg/C0A84D0A', own, '', stranger), 'DEFAULT own');
});

test('GRUB gets the in-memory OS while there is work, else continues with the disk; the operator’s own file comes first', async () => {
  for (const name of [
    'grub/grub.cfg',
    'grub/grub.cfg-01-02-00-5e-10-00-01',
    'EFI/debian/grub.cfg',
    'grub/grub.cfg-C0A84D0A',
  ]) {
    assert.match(await textOf(name, 'PENDING'), /linux \/hook\/vmlinuz-x86_64 facility=/);
    assert.match(await textOf(name, 'SUCCESS'), /\nexit\n/);
  }
  assert.equal(await find('own/grub.cfg', machine(), 'PENDING'), 'own grub');
});

test('a value that is unsafe in a configuration refuses the file, and the error names the field', async () => {
  const found = await find('grub/grub.cfg', machine({ netboot: { osie: { kernelParams: ['a"b'] } } }));
  assert.ok(typeof found !== 'string' && found.kind === 'refused');
  assert.match(found.message, /spec\.interfaces\[0\]\.netboot\.osie\.kernelParams\[0\]/);
});

test('kernel and initrd come from the hook directory, whatever directories precede them, and nothing above it is served', async () => {
  assert.equal(await find('hook/vmlinuz-x86_64'), 'kernel');
  assert.equal(await find('/hook/initramfs-x86_64'), 'initrd');
  assert.equal(await find(`${MAC}/hook/vmlinuz-x86_64`), 'kernel');
  for (const name of ['hook/../secret', 'hook/', 'xhook/vmlinuz-x86_64', 'hook/./vmlinuz-x86_64'])
    assert.equal(kindOf(await find(name)), 'not-found', name);
});

test('a Raspberry Pi gets its files below its serial number', async () => {
  const rpi = { serialNum: 'a1b2c3d4', firmwarePath: 'rpi4', configTxt: '[all]' };
  const hardware = machine({ netboot: { rpi, osie: { kernelParams: ['console=tty1'] } } });
  assert.equal(await find('a1b2c3d4/config.txt', hardware), '[all]');
  assert.equal(await find('a1b2c3d4/cmdline.txt', hardware), 'console=tty1');
  assert.equal(await find('a1b2c3d4/start4.elf', hardware), 'start');
  assert.equal(await find('a1b2c3d4/cmdline.txt', machine({ netboot: { rpi } })), 'from the folder');
  for (const name of ['a1b2c3d4/../vmlinuz', 'a1b2c3d4/nothing', 'ffff/config.txt'])
    assert.equal(kindOf(await find(name, hardware)), 'not-found', name);
  const climbing = machine({ netboot: { rpi: { ...rpi, firmwarePath: '..' } } });
  assert.equal(kindOf(await find('a1b2c3d4/secret', climbing)), 'not-found');
});

test('the error for a missing file names the sources that were searched', async () => {
  const found = await find('nothing');
  assert.ok(typeof found !== 'string' && found.kind === 'not-found');
  assert.deepEqual([found.asked.length, found.asked.includes('asset directory')], [10, true]);
});

test('a large file is read in chunks, is the same from memory and from disk, and fails when it changes', async () => {
  const path = join(directory, 'assets/large');
  const bytes = Buffer.from(
    Uint32Array.from({ length: 2_500_000 }, (_, index) => index * 2_654_435_761).buffer,
  );
  writeFileSync(path, bytes);
  const store = createFileStore({ files: nodeFiles, clock: steppedClock() });
  const open = async (): Promise<BootFile> => (await store.open(join(directory, 'assets'), 'large'))!;
  const file = await open();
  assert.equal(await store.read(join(directory, 'assets'), 'large'), undefined, 'too large to be kept whole');
  const places = [
    [0, 1],
    [262_143, 2],
    [262_144, 1468],
    [262_000, 1_048_576],
    [9_999_999, 1],
    [10_000_000, 0],
  ];
  for (const [offset = 0, length = 0] of [...places, ...places])
    assert.ok(
      bytes.subarray(offset, offset + length).equals(await file.slice(offset, length)),
      `${offset} ${length}`,
    );
  assert.ok(file.slice(0, 100) instanceof Uint8Array, 'recently used bytes need no wait');
  appendFileSync(path, 'more');
  await assert.rejects(async () => file.slice(5_000_000, 100), /large changed/);
  assert.equal((await open()).sizeBytes, bytes.length + 4);
  rmSync(path);
});

test('HTTP serves the same files below its prefix, and records them in the timeline', async () => {
  const rack = await startRack(config(), { view: fixedView([machine()], [workflow('PENDING')]) });
  const ask = async (path: string, method = 'GET') => {
    const request = new Request(`http://server${path}`, { method });
    const peer = { address: ADDRESS, port: 1 };
    const context = { peer, localAddress: '192.168.77.1', signal: new AbortController().signal };
    const route = rack.service.routes.find(({ prefix }) => new URL(request.url).pathname.startsWith(prefix))!;
    const response = (await route.handle(request, context))!;
    return {
      status: response.status,
      length: response.headers.get('content-length'),
      body: await response.text(),
    };
  };
  try {
    assert.deepEqual(await ask('/tftp/hook/vmlinuz-x86_64'), { status: 200, length: '6', body: 'kernel' });
    assert.deepEqual(await ask('/tftp/hook/vmlinuz-x86_64', 'HEAD'), { status: 200, length: '6', body: '' });
    assert.match((await ask('/tftp/pxelinux.cfg/01-02-00-5e-10-00-01')).body, /KERNEL hook/);
    assert.equal((await ask('/tftp/vmlinuz')).body, 'an asset');
    assert.equal((await ask('/tftp/vmlinuz', 'POST')).status, 405);
    for (const path of ['nothing', '..%2fsecret', 'hook%2fvmlinuz-x86_64', '%zz', '', 'a'.repeat(65_536)])
      assert.equal((await ask(`/tftp/${path}`)).status, 404, path.slice(0, 40));
    assert.equal((await ask('/tftp/vmlinuz')).body, 'an asset', 'a good request still succeeds');
    const events = rack.journal.entries.map(({ event, machine: mac }) => `${event} ${mac}`);
    assert.deepEqual(events.slice(0, 2), [`file-sent ${MAC}`, `file-sent ${MAC}`]);
    const missing = rack.journal.entries.find(({ event }) => event === 'file-not-found');
    assert.match(missing?.message ?? '', /HTTP has no file nothing; asked: .*asset directory/);
  } finally {
    await rack.stop();
  }
});

test('simultaneous requests of a rack read a file once, and again after it has changed', async () => {
  const path = join(directory, 'assets/small');
  writeFileSync(path, 'first');
  let reads = 0;
  const files: typeof nodeFiles = {
    ...nodeFiles,
    read(...args) {
      reads += 1;
      return nodeFiles.read(...args);
    },
  };
  const clock = steppedClock();
  const store = createFileStore({ files, clock });
  const rack = async () => {
    const found = await Promise.all(
      Array.from({ length: 100 }, () => store.read(join(directory, 'assets'), 'small')),
    );
    return new Set(found.map((bytes) => Buffer.from(bytes ?? []).toString()));
  };
  assert.deepEqual([await rack(), reads], [new Set(['first']), 1]);
  assert.deepEqual([await rack(), reads], [new Set(['first']), 1]);
  writeFileSync(path, 'second');
  assert.deepEqual([await rack(), reads], [new Set(['first']), 1], 'recently checked');
  clock.step(1_000);
  assert.deepEqual([await rack(), reads], [new Set(['second']), 2]);
});

test('a file that could not be read is read again', async () => {
  let isBroken = true;
  const files: typeof nodeFiles = {
    ...nodeFiles,
    read: (...args) => (isBroken ? Promise.reject(new Error('broken')) : nodeFiles.read(...args)),
  };
  const store = createFileStore({ files, clock: steppedClock() });
  const read = () => store.read(join(directory, 'ipxe'), 'ipxe.efi');
  await assert.rejects(read(), /broken/);
  isBroken = false;
  assert.equal(Buffer.from((await read()) ?? []).toString(), 'ipxe');
});

test('a binary is patched once', async () => {
  const view = fixedView([machine()], []);
  const files = createBootFiles(
    { files: nodeFiles, view, log: silentLog, clock: steppedClock() },
    { ...config(), ipxePatch: 'echo patched' },
  );
  const padding = '#'.repeat(64);
  writeFileSync(join(directory, 'ipxe/patched.efi'), `${padding}${PATCH_PLACEHOLDER}${padding}`);
  const slices = await Promise.all([files.binary('patched.efi'), files.binary('patched.efi')]);
  const [one, other] = await Promise.all(slices.map(async (file) => file?.slice(0, file.sizeBytes)));
  assert.ok(one !== undefined && one.buffer === other?.buffer);
  assert.match(Buffer.from(one).toString('latin1'), /echo patched/);
});

test('TFTP serves hook.ipxe as the script of the machine, or the one for every machine; the operator’s own file comes first', async () => {
  assert.match(await textOf('hook.ipxe', 'PENDING'), /^#!ipxe\n[^]*worker_id=02:00:5e:10:00:01/);
  assert.match(await textOf('tink-stack/hook.ipxe', 'SUCCESS'), /sanboot/);
  const stranger = await find('hook.ipxe', machine(), '', '192.168.77.99');
  assert.ok(typeof stranger === 'string');
  assert.match(stranger, /^#!ipxe\n[^]*\$\{mac/);
  const named = await find(`${MAC}/hook.ipxe`, machine(), 'PENDING', '192.168.77.99');
  assert.ok(typeof named === 'string');
  assert.match(named, /worker_id=02:00:5e:10:00:01/);
  const own = join(directory, 'hook/hook.ipxe');
  writeFileSync(own, '#!ipxe\nown');
  assert.equal(await find('hook.ipxe'), '#!ipxe\nown');
  rmSync(own);
});
