import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { parseMac } from '@tinkerbell/wire';
import * as fc from 'fast-check';
import { hardware, hookSettings, MAC } from '../testing/packets.ts';
import {
  loaderConfigFor,
  loaderFileNameOf,
  raspberryPiFile,
  reservationFor,
  type LoaderKind,
} from '../index.ts';

type Change = Parameters<typeof hardware>[0];

function decide(
  kind: LoaderKind,
  change: Change = {},
  options: { hasWorkToDo?: boolean; bootLocalWhenIdle?: boolean } = {},
) {
  const reservation = reservationFor([hardware(change)], MAC);
  assert.ok(reservation.ok, JSON.stringify(reservation));
  return loaderConfigFor(kind, {
    reservation: reservation.value,
    machineState: { hasWorkToDo: options.hasWorkToDo ?? true },
    settings: { hook: hookSettings, bootLocalWhenIdle: options.bootLocalWhenIdle ?? true },
  });
}

const textOf = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args);
  return decision.kind === 'config' ? decision.text : JSON.stringify(decision);
};

const COMMAND_LINE = [
  'facility=',
  'syslog_host=192.168.77.2',
  'grpc_authority=192.168.77.1:42113',
  'tinkerbell_tls=false',
  'tinkerbell_insecure_tls=false',
  `worker_id=${MAC}`,
  `hw_addr=${MAC}`,
  'modules=loop,squashfs,sd-mod,usb-storage',
  'intel_iommu=on',
  'iommu=pt',
  'console=tty0',
  'console=ttyS1,115200',
  'tink_worker_image=example/agent:1',
].join(' ');

test('PXELINUX boots the in-memory OS with the arguments of the iPXE script', () => {
  assert.equal(
    textOf('pxelinux'),
    `DEFAULT tinkerbell\nPROMPT 0\nLABEL tinkerbell\n  KERNEL hook/vmlinuz-x86_64\n  INITRD hook/initramfs-x86_64\n  APPEND ${COMMAND_LINE}\n`,
  );
});

test('GRUB boots the same system, if necessary with the command of older Secure Boot GRUBs', () => {
  const lines = textOf('grub').split('\n');
  assert.ok(lines.includes('set timeout=0'));
  assert.ok(lines.includes(`  if linux /hook/vmlinuz-x86_64 ${COMMAND_LINE}; then`));
  assert.ok(lines.includes(`    linuxefi /hook/vmlinuz-x86_64 ${COMMAND_LINE}`));
  assert.ok(lines.includes('    initrd /hook/initramfs-x86_64'));
});

test('a machine without work boots its disk, and one that may not netboot does too, or is refused as upstream does', () => {
  const denied = { netboot: { allowPXE: false } };
  for (const [kind, disk] of [
    ['pxelinux', /^DEFAULT local\n[^]*LOCALBOOT 0/],
    ['grub', /\nexit\n$/],
  ] as const) {
    assert.match(textOf(kind, {}, { hasWorkToDo: false }), disk);
    assert.match(textOf(kind, denied), disk);
    assert.match(textOf(kind, {}, { hasWorkToDo: false, bootLocalWhenIdle: false }), /hook\/vmlinuz/);
    assert.equal(decide(kind, denied, { bootLocalWhenIdle: false }).kind, 'refused');
  }
});

test("a Hardware's own kernel is loaded from its URL", () => {
  const osie = {
    baseURL: 'http://192.0.2.9:8080/os/',
    kernel: 'k',
    initrd: 'i',
    kernelParams: ['a=1 b', 'c;d'],
  };
  const change = { netboot: { osie }, dhcp: { arch: 'aarch64' } };
  assert.match(textOf('pxelinux', change), /KERNEL http:\/\/192\.0\.2\.9:8080\/os\/k\n[^]* a=1 b c;d\n/);
  assert.match(
    textOf('grub', change),
    /if linux '\(http,192\.0\.2\.9:8080\)\/os\/k' [^]* a=1 b 'c;d'; then\n/,
  );
  assert.match(textOf('pxelinux', { dhcp: { arch: 'aarch64' } }), /KERNEL hook\/vmlinuz-aarch64\n/);
  assert.match(textOf('grub', { netboot: { osie: { baseURL: 'nfs://192.0.2.9/x' } } }), /GRUB loads by http/);
});

test('a value that would become a command is refused, and the error names its field', () => {
  const parameter = /spec\.interfaces\[0\]\.netboot\.osie\.kernelParams\[1\]: holds/;
  const cases: readonly [Change, RegExp][] = [
    ...['a\nAPPEND b', 'a"b', "a'b", '${net_default_ip}', '$prefix', '}', 'a{b', 'a\\', 'é', 'a\0'].map(
      (each): [Change, RegExp] => [{ netboot: { osie: { kernelParams: ['ok', each] } } }, parameter],
    ),
    [{ netboot: { osie: { kernel: 'k init=/bin/sh' } } }, /netboot\.osie\.kernel: holds a space/],
    [{ spec: { agentID: "x' ; reboot" } }, /spec\.agentID/],
    [{ dhcp: { vlan_id: '1 2' } }, /dhcp\.vlan_id: holds a space/],
    [{ spec: { metadata: { facility: { facility_code: 'a\r' } } } }, /facility_code/],
    [{ dhcp: { arch: 'x86_64\n' } }, /dhcp\.arch/],
  ];
  for (const kind of ['pxelinux', 'grub'] as const) {
    for (const [change, field] of cases) {
      const decision = decide(kind, change);
      assert.equal(decision.kind, 'invalid', JSON.stringify(change));
      assert.match(decision.kind === 'invalid' ? decision.message : '', field);
    }
  }
});

const skip =
  spawnSync('grub-script-check', ['--version']).error === undefined ? false : 'grub-common is not installed';

test('GRUB parses every configuration, and no value adds a command to it', { skip }, () => {
  const value = fc.string({
    unit: fc.constantFrom('a', ' ', ';', '|', '&', '<', '>', '#', '!', '(', ']', '*'),
  });
  const lines = textOf('grub').split('\n').length;
  fc.assert(
    fc.property(value, (each) => {
      const text = textOf('grub', { netboot: { osie: { kernelParams: [each] } } });
      assert.equal(text.split('\n').length, lines);
      const { status, stderr } = spawnSync('grub-script-check', { input: text, encoding: 'utf8' });
      assert.equal(status, 0, `${stderr}\n${text}`);
    }),
    { numRuns: 40 },
  );
  const { status } = spawnSync('grub-script-check', { input: textOf('grub', {}, { hasWorkToDo: false }) });
  assert.equal(status, 0);
});

test('file names of boot loaders identify a machine', () => {
  const client = '192.168.77.10';
  const byMac = { by: 'mac', mac: parseMac(MAC) } as const;
  const byClient = { by: 'address', address: client } as const;
  const cases: readonly [string, LoaderKind, object][] = [
    ['pxelinux.cfg/01-02-00-5e-10-00-01', 'pxelinux', byMac],
    ['/tftpboot/pxelinux.cfg/01-02-00-5E-10-00-01', 'pxelinux', byMac],
    ['pxelinux.cfg/8a1e3c0f-2b4d-4c6e-9f10-0123456789ab', 'pxelinux', byClient],
    ['pxelinux.cfg/C0A84D0A', 'pxelinux', byClient],
    ['pxelinux.cfg/C0A84D0B', 'pxelinux', { by: 'address', address: '192.168.77.11' }],
    ['pxelinux.cfg/C0A84', 'pxelinux', byClient],
    ['pxelinux.cfg/C', 'pxelinux', byClient],
    ['pxelinux.cfg/default', 'pxelinux', byClient],
    ['x/pxelinux.cfg/default-arm-bcm283x-rpi', 'pxelinux', byClient],
    ['grub/grub.cfg', 'grub', byClient],
    ['/EFI/debian/grub.cfg', 'grub', byClient],
    ['grub.cfg', 'grub', byClient],
    ['grub/grub.cfg-01-02-00-5e-10-00-01', 'grub', byMac],
    ['grub/grub.cfg-c0a84d0a', 'grub', byClient],
    ['grub/grub.cfg-C0A8', 'grub', byClient],
  ];
  for (const [name, loader, machine] of cases)
    assert.deepEqual(loaderFileNameOf(name, client), { loader, machine }, name);
  for (const name of [
    'pxelinux.cfg/0A',
    'pxelinux.cfg/01-02-00-5e-10-00',
    'pxelinux.cfg/',
    'pxelinux.cfg/default/x',
    'pxelinux.cfg',
    'grub.cfg-',
    'grub.cfgx',
    'mygrub.cfg',
    'grub/grub.cfg-123456789',
  ])
    assert.equal(loaderFileNameOf(name, client), undefined, name);
});

test('a Raspberry Pi gets its texts from the Hardware and the rest from its firmware folder', () => {
  const rpi = { serialNum: 'a1b2c3d4', firmwarePath: '/rpi4/', configTxt: '[all]\nkernel=k\n' };
  const osie = { kernelParams: ['console=ttyAMA0', 'root=x'] };
  const ask = (fileName: string, netboot: object = { rpi, osie }, address = '192.168.77.10') =>
    raspberryPiFile([hardware({ netboot })], address, fileName);
  assert.deepEqual(ask('a1b2c3d4/config.txt'), { kind: 'text', text: rpi.configTxt });
  assert.deepEqual(ask('/A1B2C3D4/cmdline.txt'), { kind: 'text', text: 'console=ttyAMA0 root=x' });
  assert.deepEqual(ask('a1b2c3d4/start4.elf'), { kind: 'asset', path: 'rpi4/start4.elf' });
  assert.deepEqual(ask('a1b2c3d4/overlays/x.dtbo'), { kind: 'asset', path: 'rpi4/overlays/x.dtbo' });
  assert.deepEqual(ask('a1b2c3d4/cmdline.txt', { rpi }), { kind: 'asset', path: 'rpi4/cmdline.txt' });
  assert.equal(ask('ffffffff/config.txt'), undefined);
  assert.equal(ask('config.txt'), undefined);
  assert.equal(ask('a1b2c3d4/config.txt', { rpi, osie }, '192.168.77.11'), undefined);
  assert.equal(ask('a1b2c3d4/config.txt', { rpi: { ...rpi, firmwarePath: '' } }), undefined);
  const broken = ask('a1b2c3d4/cmdline.txt', { rpi, osie: { kernelParams: ['a\nb'] } });
  assert.match(broken?.kind === 'invalid' ? broken.message : '', /kernelParams\[0\]/);
});
