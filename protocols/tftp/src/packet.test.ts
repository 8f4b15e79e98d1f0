import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bytesToHex, hexToBytes } from '@tinkerbell/wire';
import { decodeTftp, encodeTftp, type TftpPacket } from './index.ts';

const ascii = (text: string) => new TextEncoder().encode(text);
const failure = (bytes: Uint8Array) => {
  const result = decodeTftp(bytes);
  return result.ok ? 'no failure' : `${result.error.code} ${result.error.field}`;
};

test('reads the request OVMF sends', () => {
  // opcode 1, file name, mode, then option name and value pairs
  const bytes = ascii('\0\x01ipxe.efi\0OCTET\0BLKSIZE\x001468\0windowsize\x004\0');
  assert.deepEqual(decodeTftp(bytes), {
    ok: true,
    value: {
      kind: 'read-request',
      fileName: 'ipxe.efi',
      mode: 'octet',
      options: [
        ['blksize', '1468'],
        ['windowsize', '4'],
      ],
    },
  });
});

test('writes every kind byte for byte', () => {
  const cases: readonly [TftpPacket, string][] = [
    [{ kind: 'data', block: 0x1234, bytes: Uint8Array.of(1, 2) }, '0003 1234 0102'],
    [{ kind: 'acknowledge', block: 65_535 }, '0004 ffff'],
    [{ kind: 'error', code: 5, message: 'no' }, '0005 0005 6e6f 00'],
    [{ kind: 'option-acknowledge', options: [['tsize', '7']] }, '0006 7473697a6500 3700'],
    [{ kind: 'write-request', fileName: 'a', mode: 'octet', options: [] }, '0002 6100 6f6374657400'],
  ];
  for (const [packet, hex] of cases) {
    assert.equal(bytesToHex(encodeTftp(packet)), hex.replaceAll(' ', ''));
    assert.deepEqual(decodeTftp(encodeTftp(packet)), { ok: true, value: packet });
  }
});

test('refuses invalid packets', () => {
  assert.equal(failure(new Uint8Array()), 'truncated opcode');
  assert.equal(failure(Uint8Array.of(0)), 'truncated opcode');
  assert.equal(failure(hexToBytes('0000')!), 'unknown-opcode opcode');
  assert.equal(failure(hexToBytes('00ff')!), 'unknown-opcode opcode');
  assert.equal(failure(hexToBytes('000400')!), 'truncated block');
  assert.equal(failure(hexToBytes('0004000100')!), 'left-over acknowledgement');
  assert.equal(failure(ascii('\0\x01file')), 'unterminated file name');
  assert.equal(failure(ascii('\0\x01\0octet\0')), 'empty file name');
  assert.equal(failure(ascii('\0\x01file\0octet')), 'unterminated mode');
  assert.equal(failure(ascii('\0\x01file\0octet\0blksize\0')), 'unterminated option value');
  assert.equal(failure(ascii(`\0\x01${'f'.repeat(600)}\0octet\0`)), 'too-long request');
  assert.equal(failure(hexToBytes('0001 ff00 6f6374657400')!), 'not-text file name');
});

test('an error message may lack its NUL', () => {
  assert.deepEqual(decodeTftp(ascii('\0\x05\0\x08stop')), {
    ok: true,
    value: { kind: 'error', code: 8, message: 'stop' },
  });
  assert.deepEqual(decodeTftp(ascii('\0\x05\0\x00')), {
    ok: true,
    value: { kind: 'error', code: 0, message: '' },
  });
});

test('a text with a NUL is never written', () => {
  assert.throws(() => encodeTftp({ kind: 'error', code: 0, message: 'a\0b' }), RangeError);
});

test('random bytes never throw, and a valid packet is written the same', () => {
  const opcode = fc.nat({ max: 7 });
  fc.assert(
    fc.property(opcode, fc.uint8Array({ maxLength: 60 }), (opcode, rest) => {
      const result = decodeTftp(Uint8Array.of(0, opcode, ...rest));
      if (result.ok) assert.deepEqual(decodeTftp(encodeTftp(result.value)), result);
    }),
    { numRuns: 2000 },
  );
});
