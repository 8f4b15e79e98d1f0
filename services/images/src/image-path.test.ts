import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { imagePathOf } from './image-path.ts';

const characters = fc.constantFrom('a', 'Z', '0', '_', '-', '~', '.', '/');

test('a plain path is the same file as the one with each character escaped', () => {
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 12 }), (path) => {
      const escaped = path.map((one) => (one === '/' ? one : `%${one.charCodeAt(0).toString(16)}`));
      const found = imagePathOf(`http://server/images/${path.join('')}`, '/images/');
      assert.equal(found, imagePathOf(`http://server/images/${escaped.join('')}`, '/images/'));
      const elements = path.join('').split('/');
      const isPlain = elements.every((one) => one !== '' && !one.startsWith('.'));
      assert.equal(found, isPlain ? path.join('') : undefined);
    }),
  );
});
