import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import {
  bootNumber,
  bootVariable,
  decodeBootOrder,
  decodeLoadOption,
  encodeBootOrder,
  encodeLoadOption,
  encodeUriOption,
  freeNumber,
  placeInOrder,
} from './index.ts';

const LOADER = {
  partition: { number: 1, firstSector: 2048, sectors: 0x10_0000, id: '00112233-4455-6677-8899-aabbccddeeff' },
  file: String.raw`\A`,
} as const;

test('an entry has each field of EFI_LOAD_OPTION', () =>
  assert.deepEqual(
    [...encodeLoadOption('os', LOADER)],
    [
      [1, 0, 0, 0], // attributes: active
      [56, 0], // bytes of the device path
      [0x6f, 0, 0x73, 0, 0, 0], // description: os
      [4, 1, 42, 0], // media, hard drive
      [1, 0, 0, 0], // partition number
      [0, 8, 0, 0, 0, 0, 0, 0], // first sector
      [0, 0, 16, 0, 0, 0, 0, 0], // sectors
      [0x33, 0x22, 0x11, 0, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff],
      [2, 2], // GPT, signature is a GUID
      [4, 4, 10, 0, 0x5c, 0, 0x41, 0, 0, 0], // file path: \A
      [0x7f, 0xff, 4, 0], // end
    ].flat(),
  ));

test('an entry for HTTP boot has the short form of a URI device path', () => {
  const bytes = encodeUriOption('h', 'http://a/b');
  assert.deepEqual(
    [...bytes],
    [
      [1, 0, 0, 0], // attributes: active
      [18, 0], // bytes of the device path
      [0x68, 0, 0, 0], // description: h
      [3, 24, 14, 0, ...Buffer.from('http://a/b')], // messaging, URI
      [0x7f, 0xff, 4, 0], // end
    ].flat(),
  );
  assert.deepEqual(decodeLoadOption(bytes), { description: 'h', active: true });
});

test('what is written is read again', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((one) => !one.includes('\0'));
  const number = fc.nat(0xffff_ffff);
  fc.assert(
    fc.property(text, text, fc.tuple(number, number, number), (description, file, [a, b, c]) => {
      const loader = { partition: { ...LOADER.partition, number: a, firstSector: b, sectors: c }, file };
      assert.deepEqual(decodeLoadOption(encodeLoadOption(description, loader)), {
        description,
        active: true,
        loader,
      });
    }),
  );
});

test('any bytes are an entry or none', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void decodeLoadOption(bytes)));
  const sound = encodeLoadOption('os', LOADER);
  fc.assert(
    fc.property(fc.nat(sound.length), fc.nat(sound.length - 1), fc.nat(255), (length, at, value) => {
      const bytes = sound.slice(0, length);
      bytes[at] = value;
      decodeLoadOption(bytes);
    }),
  );
});

test('an entry for the network has no loader', () => {
  const bytes = Uint8Array.from([0, 0, 0, 0, 4, 0, 0x6e, 0, 0, 0, 0x7f, 0xff, 4, 0]);
  assert.deepEqual(decodeLoadOption(bytes), { description: 'n', active: false });
});

test('the order keeps all other entries', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(0xffff)),
      fc.nat(0xffff),
      fc.constantFrom('first', 'last'),
      (order, number, place) => {
        const placed = placeInOrder(order, number, place);
        assert.equal(place === 'first' ? placed[0] : placed.at(-1), number);
        assert.deepEqual(
          placed.filter((one) => one !== number),
          [...new Set(order)].filter((one) => one !== number),
        );
        assert.deepEqual(decodeBootOrder(encodeBootOrder(placed)), placed);
      },
    ),
  );
});

test('names and free numbers', () => {
  assert.equal(bootVariable(26), 'Boot001A');
  assert.equal(bootNumber('Boot001A'), 26);
  for (const name of ['BootOrder', 'Boot001a', 'Boot1']) assert.equal(bootNumber(name), undefined);
  assert.equal(freeNumber(new Set([0, 1, 3])), 2);
  assert.equal(freeNumber(new Set(Array.from({ length: 0x10000 }, (_, index) => index))), undefined);
});
