import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeUtf8 } from '@tinkerbell/wire';
import fc from 'fast-check';
import { ISO_MAGIC, IsoMagicSearch, overlayPatch, paddedPatch } from '../index.ts';

function offsetsIn(file: Uint8Array, magic: Uint8Array, cuts: readonly number[] = []): readonly number[] {
  const search = new IsoMagicSearch(magic);
  for (const piece of piecesOf(file, cuts)) search.push(piece);
  return search.offsets;
}

function piecesOf(file: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const borders = [0, ...cuts.map((cut) => cut % (file.length + 1)), file.length].toSorted((a, b) => a - b);
  return borders.slice(1).map((end, index) => file.slice(borders[index], end));
}

/** Uses text replacement, an independent method with the same result. Latin-1 keeps every byte. */
function patchedWhole(file: Uint8Array, magic: Uint8Array, patch: Uint8Array): Uint8Array {
  const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
  return new Uint8Array(Buffer.from(latin1(file).replaceAll(latin1(magic), latin1(patch)), 'latin1'));
}

/** Few letters and a short magic that overlaps itself produce occurrences, partial ones and adjacent ones in every file. */
const letters = fc.uint8Array({ max: 2, maxLength: 200 });
const shortMagic = fc.uint8Array({ max: 2, minLength: 1, maxLength: 6 });
const cuts = fc.array(fc.nat(), { maxLength: 20 });

test('for every split into pieces, every range is the slice of the whole patched file', () => {
  fc.assert(
    fc.property(letters, shortMagic, cuts, fc.nat(), fc.nat(), (file, magic, where, first, last) => {
      const offsets = offsetsIn(file, magic, where);
      const patch = new Uint8Array(magic.length).fill(9);
      const whole = patchedWhole(file, magic, patch);
      const [start = 0, end = 0] = [first % (file.length + 1), last % (file.length + 1)].toSorted(
        (a, b) => a - b,
      );
      let at = start;
      const served = piecesOf(file.slice(start, end), where).map((piece) => {
        overlayPatch(piece, at, { offsets, patch });
        at += piece.length;
        return piece;
      });
      assert.deepEqual(Buffer.concat(served), Buffer.from(whole.slice(start, end)));
    }),
    { numRuns: 2_000 },
  );
});

test('a settled part has no occurrence that is found later', () => {
  fc.assert(
    fc.property(letters, shortMagic, cuts, (file, magic, where) => {
      const all = offsetsIn(file, magic);
      const search = new IsoMagicSearch(magic);
      for (const piece of piecesOf(file, where)) {
        search.push(piece);
        const settled = all.filter((offset) => offset < search.settledBytes);
        assert.deepEqual(search.offsets.slice(0, settled.length), settled);
      }
    }),
  );
});

test('occurrences of the real magic at the start, across borders and at the end are patched, at the same length', () => {
  const magic = encodeUtf8(ISO_MAGIC);
  const filler = new Uint8Array(40_000).fill(0xff);
  const file = new Uint8Array(Buffer.concat([magic, filler, magic, magic, filler, magic]));
  const patch = paddedPatch('console=tty0 worker_id=x', magic.length);
  assert.equal(Buffer.from(patch).toString(), 'console=tty0 worker_id=x'.padEnd(1_024));
  const offsets = offsetsIn(file, magic, [500, 40_500, 41_100, 41_101, 42_900, file.length - 1]);
  assert.deepEqual(offsets, [0, 41_024, 42_048, 83_072]);
  const served = file.slice();
  overlayPatch(served, 0, { offsets, patch });
  assert.deepEqual(served, patchedWhole(file, magic, patch));
  assert.equal(Buffer.from(served).indexOf(ISO_MAGIC.slice(0, 32)), -1);
});

test('a patch never overwrites what follows', () => {
  assert.throws(() => paddedPatch('x'.repeat(1_025), 1_024), /1025 bytes does not fit into 1024/);
  assert.equal(paddedPatch('é'.repeat(512), 1_024).length, 1_024);
});

test('a file full of magics is refused, not indexed', () => {
  const search = new IsoMagicSearch(new Uint8Array([1, 2]));
  const file = Uint8Array.from({ length: 4_096 }, (_, index) => 1 + (index % 2));
  assert.throws(() => search.push(file), /more than 1024 times/);
});
