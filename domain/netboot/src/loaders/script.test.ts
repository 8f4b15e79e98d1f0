import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hardware, hookSettings, MAC } from '../testing/packets.ts';
import {
  loaderConfigFor,
  reservationFor,
  scriptFor,
  staticScriptFor,
  type HookScriptSettings,
  type ScriptDecision,
} from '../index.ts';

function decide(
  change: Parameters<typeof hardware>[0] = {},
  options: { hasWorkToDo?: boolean; bootLocalWhenIdle?: boolean; hook?: Partial<HookScriptSettings> } = {},
): ScriptDecision {
  const reservation = reservationFor([hardware(change)], MAC);
  assert.ok(reservation.ok, JSON.stringify(reservation));
  return scriptFor({
    reservation: reservation.value,
    machineState: { hasWorkToDo: options.hasWorkToDo ?? true },
    settings: {
      hook: { ...hookSettings, ...options.hook },
      bootLocalWhenIdle: options.bootLocalWhenIdle ?? true,
    },
  });
}

const textOf = (decision: ScriptDecision) =>
  decision.kind === 'script' ? decision.text : JSON.stringify(decision);

/** The kernel command's arguments, with continued lines joined as iPXE joins them. */
function kernelArguments(decision: ScriptDecision): string[] {
  const joined = textOf(decision).replaceAll(/ \\\n/g, ' ');
  const command = joined.split('\n').find((line) => line.startsWith('kernel '))!;
  return command.slice(0, command.indexOf(' && ')).split(' ').slice(2);
}

test('the kernel arguments name the folder of the in-memory OS, where its segments are', () => {
  const argumentIn = (decision: ScriptDecision) =>
    kernelArguments(decision).filter((each) => each.startsWith('hook_url='));
  const hook = { namesHookUrl: true };
  assert.deepEqual(argumentIn(decide({}, { hook })), ['hook_url=http://192.168.77.1:7173']);
  const own = { netboot: { osie: { baseURL: 'http://192.0.2.9/own' } } };
  assert.deepEqual(argumentIn(decide(own, { hook })), ['hook_url=http://192.0.2.9/own']);
  assert.deepEqual(argumentIn(decide()), []);
  const settings = { hook: { ...hookSettings, ...hook }, bootLocalWhenIdle: true };
  const unknown = staticScriptFor({ machineState: { hasWorkToDo: true }, settings });
  assert.deepEqual(argumentIn(unknown), ['hook_url=${download-url}']);
});

test('the kernel arguments name the mirrors of registries', () => {
  const registryMirrors = 'quay.io=http://192.168.77.1:7080/v2/mirror/quay.io';
  const hook = { registryMirrors };
  const expected = `registry_mirrors=${registryMirrors}`;
  assert.ok(kernelArguments(decide({}, { hook })).includes(expected));
  const settings = { hook: { ...hookSettings, ...hook }, bootLocalWhenIdle: true };
  const unknown = staticScriptFor({ machineState: { hasWorkToDo: true }, settings });
  assert.ok(kernelArguments(unknown).includes(expected));
});

test("the hook script passes upstream's kernel arguments in upstream's order", () => {
  const decision = decide({
    dhcp: { vlan_id: '30' },
    netboot: { osie: { kernelParams: ['console=ttyS0', 'a=1 b=2'] } },
    spec: { agentID: 'agent-1', metadata: { facility: { facility_code: 'onprem' } } },
  });
  assert.deepEqual(kernelArguments(decision), [
    'vlan_id=30',
    'facility=onprem',
    'syslog_host=192.168.77.2',
    'grpc_authority=192.168.77.1:42113',
    'tinkerbell_tls=false',
    'tinkerbell_insecure_tls=false',
    'worker_id=agent-1',
    `hw_addr=${MAC}`,
    'modules=loop,squashfs,sd-mod,usb-storage',
    'intel_iommu=on',
    'iommu=pt',
    'initrd=${initrd}',
    'console=tty0',
    'console=ttyS1,115200',
    'tink_worker_image=example/agent:1',
    'console=ttyS0',
    'a=1',
    'b=2',
  ]);
});

test('without agent id, VLAN and facility the MAC is the worker id and the rest is empty', () => {
  const found = kernelArguments(decide());
  assert.deepEqual(found.slice(0, 2), ['facility=', 'syslog_host=192.168.77.2']);
  assert.ok(found.includes(`worker_id=${MAC}`));
});

test('the hook script line by line', () => {
  const lines = textOf(decide()).split('\n');
  assert.equal(lines[0], '#!ipxe');
  const at = lines.indexOf('echo Loading the Tinkerbell Hook iPXE script...');
  assert.deepEqual(lines.slice(at + 2, at + 10), [
    'set arch x86_64',
    'set download-url http://192.168.77.1:7173',
    'set kernel vmlinuz-${arch}',
    'set initrd initramfs-${arch}',
    'set retries:int32 1',
    'set retry_delay:int32 1',
    '',
    'set idx:int32 0',
  ]);
  assert.deepEqual(
    lines.filter((line) => line.startsWith(':')),
    [
      ':retry_kernel',
      ':download_initrd',
      ':retry_initrd',
      ':boot',
      ':retry_boot',
      ':kernel-error',
      ':initrd-error',
      ':boot-error',
    ],
  );
  assert.ok(lines.includes('clear check'));
  assert.ok(!textOf(decide({}, { hook: { syslogHost: '' } })).includes('nslookup'));
});

test('names and URLs of the Hardware replace the global ones, which get the architecture appended', () => {
  const global = textOf(
    decide({ dhcp: { arch: 'aarch64' } }, { hook: { kernelName: 'k', initrdName: 'i' } }),
  );
  assert.match(
    global,
    /^set arch aarch64\nset download-url .*\nset kernel k-\$\{arch\}\nset initrd i-\$\{arch\}$/m,
  );
  const own = textOf(
    decide({ netboot: { osie: { baseURL: 'http://o.example/x', kernel: 'vk', initrd: 'vi' } } }),
  );
  assert.match(own, /^set download-url http:\/\/o\.example\/x\nset kernel vk\nset initrd vi$/m);
});

const LOCAL = '#!ipxe\necho Booting from the local disk...\nsanboot --no-describe --drive 0x80 || exit 1\n';

test('a machine without work boots its disk, and one with work boots the in-memory OS', () => {
  assert.deepEqual(decide({}, { hasWorkToDo: false }), { kind: 'script', name: 'local-boot', text: LOCAL });
  assert.equal(
    decide({}, { hasWorkToDo: true }).kind === 'script' && textOf(decide()).includes('Hook'),
    true,
  );
  assert.match(textOf(decide({}, { hasWorkToDo: false, bootLocalWhenIdle: false })), /Hook/);
});

test('a machine that may not netboot boots its disk, or is refused as upstream does', () => {
  const denied = { netboot: { allowPXE: false, ipxe: { url: 'http://x.example/' } } };
  assert.equal(textOf(decide(denied)), LOCAL);
  assert.deepEqual(decide(denied, { bootLocalWhenIdle: false }), {
    kind: 'refused',
    reason: 'netboot-not-allowed',
  });
});

test('custom scripts are chained or sent verbatim, with or without work', () => {
  const head = '#!ipxe\n\necho Loading custom Tinkerbell iPXE script...\n';
  const idle = { hasWorkToDo: false };
  assert.equal(
    textOf(decide({ netboot: { ipxe: { url: 'https://x.example/a' } } }, idle)),
    `${head}chain --autofree https://x.example/a\n`,
  );
  assert.equal(
    textOf(decide({ netboot: { ipxe: { contents: 'echo ${net0/mac}\nshell' } } }, idle)),
    `${head}echo \${net0/mac}\nshell\n`,
  );
  const ftp = decide({ netboot: { ipxe: { url: 'ftp://x.example/a' } } });
  assert.equal(ftp.kind === 'invalid' && ftp.reason, 'ipxe-url-invalid');
});

test('a value that would become a command is refused, and the error names its field', () => {
  const cases: readonly [Parameters<typeof hardware>[0], RegExp][] = [
    [
      { netboot: { osie: { kernelParams: ['ok', 'a\nchain http://evil/'] } } },
      /spec\.interfaces\[0\]\.netboot\.osie\.kernelParams\[1\]/,
    ],
    [{ netboot: { osie: { kernel: 'k || shell' } } }, /netboot\.osie\.kernel/],
    [{ spec: { agentID: '${net0/mac}' } }, /spec\.agentID/],
    [{ spec: { metadata: { facility: { facility_code: 'a ; shell' } } } }, /facility_code/],
    [{ netboot: { ipxe: { url: 'http://x/\nshell' } } }, /netboot\.ipxe\.url/],
  ];
  for (const [change, field] of cases) {
    const decision = decide(change);
    assert.equal(decision.kind, 'invalid');
    assert.match(decision.kind === 'invalid' ? decision.message : '', field);
  }
});

/** Splits a command line as Linux does (lib/cmdline.c, next_arg): white space within double quotes belongs to the argument. */
function asLinuxReads(words: readonly string[]): string[] {
  const found = [''];
  let isQuoted = false;
  for (const character of words.join(' ')) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === ' ' && !isQuoted) found.push('');
    else found.push(`${found.pop() ?? ''}${character}`);
  }
  return found;
}

test('no value of a Hardware hides the arguments after it from the kernel', () => {
  const value = fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '=', '-', '#', ','), maxLength: 12 });
  let refused = 0;
  fc.assert(
    fc.property(value, value, value, (facility_code, agentID, parameter) => {
      const decision = decide({
        netboot: { osie: { kernelParams: [parameter, 'last=1'] } },
        spec: { agentID, metadata: { facility: { facility_code } } },
      });
      if (decision.kind === 'invalid') {
        refused += 1;
        assert.match(decision.message, /facility_code|agentID|kernelParams\[0\]/);
        return;
      }
      const read = asLinuxReads(kernelArguments(decision));
      for (const own of [
        'syslog_host=192.168.77.2',
        'tinkerbell_tls=false',
        `hw_addr=${MAC}`,
        'console=tty0',
        'last=1',
      ])
        assert.ok(read.includes(own), `${own} in ${read.join('|')}`);
    }),
    { numRuns: 500, seed: 20261123 },
  );
  assert.ok(refused > 50 && refused < 450, `${refused}`);
  const spaced = decide({
    spec: { metadata: { facility: { facility_code: 'onprem  console=ttyS1 x="a b"' } } },
  });
  assert.deepEqual(
    asLinuxReads(kernelArguments(spaced))
      .filter((each) => each !== '')
      .slice(0, 3),
    ['facility=onprem', 'console=ttyS1', 'x="a b"'],
  );
});

test("the static script passes upstream's kernel arguments in upstream's order, for any machine", () => {
  const settings = {
    hook: { ...hookSettings, kernelName: 'k', initrdName: 'i' },
    bootLocalWhenIdle: true,
  };
  const decision = staticScriptFor({ machineState: { hasWorkToDo: true }, settings });
  assert.deepEqual(kernelArguments(decision), [
    'syslog_host=${syslog_host}',
    'grpc_authority=${grpc_authority}',
    'tinkerbell_tls=${tinkerbell_tls}',
    'worker_id=${worker_id}',
    'hw_addr=${mac}',
    'console=tty1',
    'console=tty2',
    'console=ttyAMA0,115200',
    'console=ttyAMA1,115200',
    'console=ttyS0,115200',
    'console=ttyS1,115200',
    'intel_iommu=on',
    'iommu=pt',
    'tink_worker_image=example/agent:1',
    'initrd=${initrd}',
  ]);
  const text = textOf(decision);
  const at = text.indexOf('echo Loading the static Tinkerbell iPXE script...');
  assert.deepEqual(text.slice(at).split('\n').slice(2, 19), [
    'set arch ${buildarch}',
    'iseq ${arch} i386 && set arch x86_64 ||',
    'iseq ${arch} arm32 && set arch aarch64 ||',
    'iseq ${arch} arm64 && set arch aarch64 ||',
    'set download-url http://192.168.77.1:7173',
    'set kernel k-${arch}',
    'set initrd i-${arch}',
    'set retries:int32 1',
    'set retry_delay:int32 1',
    '',
    'set worker_id ${mac}',
    'set grpc_authority 192.168.77.1:42113',
    'set syslog_host 192.168.77.2',
    'set tinkerbell_tls false',
    '',
    'echo worker_id=${worker_id}',
    'echo grpc_authority=${grpc_authority}',
  ]);
  assert.match(text, /^:boot-error$/m);
});

test('the static script refuses values that would become a command, and boots the disk when the work is done', () => {
  const decide = (change: Partial<HookScriptSettings>, hasWorkToDo = true) =>
    staticScriptFor({
      machineState: { hasWorkToDo },
      settings: { hook: { ...hookSettings, ...change }, bootLocalWhenIdle: true },
    });
  const bad = decide({ extraKernelArguments: ['a=1', 'b ; shell'] });
  assert.match(bad.kind === 'invalid' ? bad.message : '', /extra kernel arguments\[1\]/);
  assert.ok(kernelArguments(decide({ insecureTls: true })).includes('tinkerbell_insecure_tls=true'));
  assert.equal(textOf(decide({}, false)), LOCAL);
});

test('a machine that is repaired boots the in-memory OS without its agent, whatever else holds', () => {
  const plain = hardware({ netboot: { allowPXE: false, ipxe: { url: 'http://192.0.2.9/own' } } });
  const annotations = { 'tinkerbell.org/rescue': 'true' };
  const repaired = { ...plain, metadata: { ...plain.metadata, annotations } };
  const reservation = reservationFor([repaired], MAC);
  assert.ok(reservation.ok);
  const settings = { hook: { ...hookSettings, bootToken: 'secret' }, bootLocalWhenIdle: true };
  const input = { reservation: reservation.value, machineState: { hasWorkToDo: false }, settings };
  const decision = scriptFor(input);
  assert.equal(decision.kind === 'script' && decision.name, 'rescue');
  assert.ok(kernelArguments(decision).includes('tink.rescue'));
  assert.doesNotMatch(textOf(decision), /secret/);
  for (const kind of ['pxelinux', 'grub'] as const) {
    const config = loaderConfigFor(kind, input);
    assert.match(config.kind === 'config' ? config.text : '', /\btink\.rescue\b/);
  }
  const metadata = { ...plain.metadata, annotations: { 'tinkerbell.org/rescue': 'false' } };
  const over = reservationFor([{ ...repaired, metadata }], MAC);
  assert.equal(over.ok && over.value.mayNetboot, false);
});
