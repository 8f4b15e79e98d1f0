import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hexToBytes } from '@tinkerbell/wire';
import {
  continued,
  ipxeFeaturesOf,
  line,
  PATCH_PLACEHOLDER,
  patchIpxeBinary,
  problemOf,
  renderScript,
  word,
  words,
} from './index.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('a script consists of its lines below #!ipxe, and leaves settings to iPXE', () => {
  const script = renderScript([
    line`set download-url ${word('osie.baseURL', 'http://192.0.2.1/osie')}`,
    ...continued([
      line`kernel \${download-url}/vmlinuz`,
      line`quiet ${words('kernelParams', 'a=1 b=2')}`,
      line`|| shell`,
    ]),
  ]);
  assert.deepEqual(script, {
    ok: true,
    text: '#!ipxe\nset download-url http://192.0.2.1/osie\nkernel ${download-url}/vmlinuz \\\nquiet a=1 b=2 \\\n|| shell\n',
  });
});

test('a value with special characters is refused with its field', () => {
  const refused: readonly [string, string][] = [
    ['a\nchain http://evil/', 'control-character'],
    ['a\rb', 'control-character'],
    ['a\0b', 'control-character'],
    ['a\u0085b', 'control-character'],
    ['a\u2028b', 'control-character'],
    ['${net0/mac}', 'setting-expansion'],
    ['a || chain http://evil/', 'operator'],
    ['a && shell', 'operator'],
    ['&&', 'operator'],
    ['a ; shell', 'operator'],
    ['a"b', 'open-quote'],
    ['a\\', 'line-continuation'],
    ['a\\ ', 'line-continuation'],
    ['x'.repeat(4097), 'too-long'],
  ];
  for (const [text, code] of refused) {
    assert.equal(problemOf(words('spec.x', text))?.code, code, JSON.stringify(text));
    const script = renderScript([line`echo hello`, line`set x ${words('spec.x', text)}`]);
    assert.equal(script.ok ? '' : script.error.field, 'spec.x');
  }
  assert.equal(problemOf(word('spec.x', 'a b'))?.code, 'white-space');
});

test('ordinary values pass', () => {
  for (const text of [
    'http://[2001:db8::1]:8080/a?b=c&d=e#f',
    'a||b',
    'ttyS0,115200n8',
    'C:\\x',
    '$1 {x}',
    'é',
  ]) {
    assert.equal(problemOf(words('x', text)), undefined, text);
  }
});

test('no text adds a line or an operator to a script', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r', '\\', '|', '&', ';', '$', '{', '\u2028') }),
      (text) => {
        const script = renderScript([line`set x ${words('x', text)}`, line`boot`]);
        if (!script.ok) return;
        const lines = script.text.split(/[\r\n\u2028]/);
        assert.equal(lines.length, 4);
        assert.ok(!lines[1]!.trimEnd().endsWith('\\'));
        assert.ok(!lines[1]!.split(/\s+/).some((token) => ['||', '&&', ';'].includes(token)));
        assert.ok(!script.text.includes('${'));
      },
    ),
    { numRuns: 3000 },
  );
});

test('features of the iPXE option ROM of QEMU 7.2, as captured', () => {
  const captured = hexToBytes(
    'b105011af41000 eb03010000 170101 220101 130101 110101 270101 190101 290101 100102 210101 150101 180101 120101',
  )!;
  const subOptions = [];
  for (let at = 0; at < captured.length; at += 2 + captured[at + 1]!) {
    subOptions.push({ code: captured[at]!, bytes: captured.slice(at + 2, at + 2 + captured[at + 1]!) });
  }
  const { version, features } = ipxeFeaturesOf(subOptions);
  assert.equal(version, '1.0.0');
  assert.deepEqual([...features].sort(), [
    'aoe',
    'bzimage',
    'dns',
    'elf',
    'http',
    'iscsi',
    'menu',
    'multiboot',
    'nfs',
    'pxe',
    'pxe-extensions',
    'tftp',
  ]);
});

test('features that are reported as absent, and sub-options of wrong lengths, do not count', () => {
  const read = ipxeFeaturesOf([
    { code: 0x13, bytes: Uint8Array.of(0) },
    { code: 0x14, bytes: new Uint8Array() },
    { code: 235, bytes: Uint8Array.of(1) },
    { code: 99, bytes: Uint8Array.of(1) },
  ]);
  assert.deepEqual(read, { features: new Set() });
});

test('the placeholder is overwritten in a copy, padded with spaces', () => {
  const binary = bytesOf(`head#a8b7\n${PATCH_PLACEHOLDER}tail`);
  const patched = patchIpxeBinary(binary, 'echo hi');
  assert.ok(patched.ok);
  assert.equal(
    new TextDecoder().decode(patched.bytes),
    `head#a8b7\necho hi${' '.repeat(PATCH_PLACEHOLDER.length - 7)}tail`,
  );
  assert.equal(new TextDecoder().decode(binary), `head#a8b7\n${PATCH_PLACEHOLDER}tail`);
});

test('a patch that is too long and a binary without a placeholder are values', () => {
  const tooLong = patchIpxeBinary(bytesOf(PATCH_PLACEHOLDER), 'x'.repeat(PATCH_PLACEHOLDER.length + 1));
  assert.equal(tooLong.ok ? '' : tooLong.code, 'too-long');
  const stock = patchIpxeBinary(bytesOf(PATCH_PLACEHOLDER.slice(0, -1)), '');
  assert.equal(stock.ok ? '' : stock.code, 'no-placeholder');
});
