import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hardware, hookSettings, MAC } from '../testing/packets.ts';
import { ISO_MAGIC, isoPatchFor, isoSourceFor, reservationFor, type HookScriptSettings } from '../index.ts';

type Change = Parameters<typeof hardware>[0];

function patch(
  change: Change = {},
  options: { staticIpam?: boolean; charactersMax?: number; hook?: Partial<HookScriptSettings> } = {},
) {
  const reservation = reservationFor([hardware(change)], MAC);
  assert.ok(reservation.ok, JSON.stringify(reservation));
  return isoPatchFor({
    reservation: reservation.value,
    settings: { ...hookSettings, extraKernelArguments: [], ...options.hook },
    staticIpam: options.staticIpam ?? false,
    charactersMax: options.charactersMax ?? 1_024,
  });
}

function textOf(...args: Parameters<typeof patch>): string {
  const made = patch(...args);
  assert.ok(made.ok, JSON.stringify(made));
  return made.text;
}

function messageOf(...args: Parameters<typeof patch>): string {
  const made = patch(...args);
  assert.ok(!made.ok, JSON.stringify(made));
  return made.message;
}

const CONSOLES = 'console=ttyAMA0 console=ttyS0 console=tty0 console=tty1 console=ttyS1';
const IDENTITY = `hw_addr=${MAC} syslog_host=192.168.77.2 grpc_authority=192.168.77.1:42113 tinkerbell_tls=false worker_id=${MAC}`;
const IPAM = 'ipam=02-00-5e-10-00-01::192.168.77.10:255.255.255.0:192.168.77.1:';

test('the magic is the one in upstream’s images', () => {
  assert.equal(ISO_MAGIC.length, 1_024);
  assert.ok(ISO_MAGIC.startsWith('464vn90e7rbj08xbwdjejmdf4it17c5z') && ISO_MAGIC.endsWith('jrwt260b0w'));
  assert.equal(
    createHash('sha256').update(ISO_MAGIC).digest('hex'),
    '252feaf619f32ca02d967c78c9fa1434c4c70c7774bf038e1de2fafbc5e88a78',
  );
});

test("the patch has upstream's arguments in upstream's order", () => {
  assert.equal(textOf(), `${CONSOLES} ${IDENTITY}`);
  const facility = (facility_code: string): Change => ({
    spec: { metadata: { facility: { facility_code } } },
  });
  assert.equal(textOf(facility('onprem')), `facility=onprem ${CONSOLES} ${IDENTITY}`);
  assert.equal(textOf(facility('onprem console=ttyS1')), `facility=onprem console=ttyS1 ${IDENTITY}`);
  const hook = { extraKernelArguments: ['a=1', 'b c=2'], tls: true };
  assert.equal(
    textOf({ dhcp: { vlan_id: '30' } }, { hook }),
    `${CONSOLES} vlan_id=30 ${IDENTITY.replace('tls=false', 'tls=true')} a=1 b c=2`,
  );
});

test('the agent gets the id in its Hardware', () => {
  assert.match(textOf({ spec: { agentID: 'agent-1' } }), / worker_id=agent-1$/);
});

test('a static address has all nine parts, and is absent where there is none', () => {
  const dhcp = {
    hostname: 'm1',
    vlan_id: '30',
    name_servers: ['1.1.1.1', '8.8.8.8'],
    time_servers: ['192.0.2.1'],
    domain_name: 'example.org',
  };
  assert.ok(
    textOf({ dhcp }, { staticIpam: true }).endsWith(
      ' ipam=02-00-5e-10-00-01:30:192.168.77.10:255.255.255.0:192.168.77.1:m1:1.1.1.1,8.8.8.8:example.org:192.0.2.1',
    ),
  );
  assert.ok(textOf({}, { staticIpam: true }).includes(` ${IPAM}`));
  assert.ok(!textOf({ dhcp: { ip: undefined } }, { staticIpam: true }).includes('ipam='));
});

test("the Hardware's own arguments come last, as far as they fit and are valid", () => {
  const netboot = { osie: { kernelParams: ['console=ttyS0', 'x y'] } };
  const hook = { insecureTls: true };
  const whole = `${CONSOLES} ${IDENTITY} tinkerbell_insecure_tls=true console=ttyS0 x y`;
  assert.equal(textOf({ netboot }, { hook }), whole);
  const tight = patch({ netboot }, { hook, charactersMax: whole.length - 1 });
  assert.deepEqual(tight, {
    ok: true,
    text: `${CONSOLES} ${IDENTITY} tinkerbell_insecure_tls=true`,
    leftOut: [
      `spec.interfaces[0].netboot.osie.kernelParams[0]: the kernel arguments have ${whole.length} characters and an image has room for ${whole.length - 1}; remove some`,
    ],
  });
  const unreadable = patch({ netboot: { osie: { kernelParams: ['a;reboot'] } } });
  assert.ok(unreadable.ok && unreadable.text === `${CONSOLES} ${IDENTITY}`);
  assert.match(unreadable.leftOut[0] ?? '', /kernelParams\[0\]: holds ";"/);
});

test('an image gets the folder of the in-memory OS, if it fits', () => {
  const whole = `${CONSOLES} ${IDENTITY} hook_url=http://192.168.77.1:7173`;
  const hook = { namesHookUrl: true };
  assert.equal(textOf({}, { hook }), whole);
  assert.equal(textOf({}, { hook, charactersMax: whole.length - 1 }), `${CONSOLES} ${IDENTITY}`);
  const registryMirrors = 'a=http://b/v2/mirror/a';
  assert.equal(
    textOf({}, { hook: { ...hook, registryMirrors } }),
    `${whole} registry_mirrors=${registryMirrors}`,
  );
});

test('a patch that is longer than the magic is refused, and the error states its length', () => {
  const hook = { extraKernelArguments: ['x'.repeat(1_024)] };
  assert.match(
    messageOf({}, { hook }),
    /^the kernel arguments have 1\d{3} characters and an image has room for 1024; /,
  );
  const exact = `${CONSOLES} ${IDENTITY}`.length;
  assert.equal(textOf({}, { charactersMax: exact }).length, exact);
  assert.match(messageOf({}, { charactersMax: exact - 1 }), /remove some/);
});

test('no field starts another argument, line or command', () => {
  const cases: [Change, RegExp][] = [
    [{ dhcp: { vlan_id: '1 init=/bin/sh' } }, /^spec\.interfaces\[0\]\.dhcp\.vlan_id: holds a space/],
    [{ dhcp: { hostname: 'a:b' } }, /^spec\.interfaces\[0\]\.dhcp\.hostname: holds a colon/],
    [{ dhcp: { hostname: 'a\nb' } }, /^spec\.interfaces\[0\]\.dhcp: holds "\\n"/],
    [{ spec: { agentID: 'a b' } }, /^spec\.agentID: holds a space/],
    [{ spec: { agentID: 'a\nreboot' } }, /^spec\.agentID: holds "\\n"/],
    [{ spec: { agentID: 'a;reboot' } }, /^spec\.agentID: holds ";"/],
    [{ spec: { metadata: { facility: { facility_code: 'x console=tty0 #' } } } }, /facility_code: holds "#"/],
    [{ spec: { metadata: { facility: { facility_code: '${x}' } } } }, /facility_code: holds "\$"/],
  ];
  for (const [change, message] of cases) assert.match(messageOf(change, { staticIpam: true }), message);
});

test('for any values, the patch is one line of printable text that fits', () => {
  const unit = fc.constantFrom(...'abc012=-_./, ;#$&|<>\\{}"\'`\n\0\x7fé'.split(''));
  const text = fc.string({ unit, maxLength: 6 });
  fc.assert(
    fc.property(
      text,
      text,
      text,
      fc.array(text, { maxLength: 3 }),
      (hostname, agentID, facility_code, params) => {
        const made = patch(
          {
            dhcp: { hostname },
            netboot: { osie: { kernelParams: params } },
            spec: { agentID, metadata: { facility: { facility_code } } },
          },
          { staticIpam: true },
        );
        if (!made.ok) return;
        assert.match(made.text, /^[\x20-\x7e]{1,1024}$/);
        assert.doesNotMatch(made.text, /["'`$\\{};|&<>]| #/);
        assert.equal(made.text.split(' ').filter((word) => word.startsWith('worker_id=')).length, 1);
      },
    ),
  );
});

test("uses the image of the Hardware, else the operator's, else our own", () => {
  const withSource = (sourceISO: string) => {
    const made = hardware();
    const [first] = made.spec?.interfaces ?? [];
    return { ...made, spec: { ...made.spec, interfaces: [{ ...first, isoboot: { sourceISO } }] } };
  };
  const url = 'https://example.org/hook.iso';
  assert.deepEqual(isoSourceFor(hardware(), MAC, undefined), { kind: 'own' });
  assert.deepEqual(isoSourceFor(withSource(''), MAC, undefined), { kind: 'own' });
  assert.deepEqual(isoSourceFor(hardware(), MAC, url), { kind: 'url', url, chosenBy: 'settings' });
  assert.deepEqual(isoSourceFor(withSource(url), MAC, 'http://other/x.iso'), {
    kind: 'url',
    url,
    chosenBy: 'hardware',
  });
  for (const bad of ['file:///etc/passwd', 'ftp://x/y.iso', 'hook.iso', 'http://', 'javascript:http://x']) {
    const source = isoSourceFor(withSource(bad), MAC, url);
    assert.match(
      source.kind === 'invalid' ? source.message : '',
      /^spec\.interfaces\[0\]\.isoboot\.sourceISO must be an http or https URL/,
    );
  }
});
