/** Maps of sparse files: GNU tar manual, "Storing Sparse Files", old format and PAX formats 0.0, 0.1 and 1.0. */
import { BLOCK_BYTES, numberIn } from './header.ts';
import { byteString, fieldString } from './byte-string.ts';
import { paxInteger } from './pax.ts';
import type { BlockSource } from './block-source.ts';
import { TarError } from './tar-error.ts';

/** A part of the file that has data. The rest is a hole. */
export interface DataRange {
  readonly offset: number;
  readonly length: number;
}

export interface SparseFile {
  /** The size of the file, with its holes. */
  readonly size: number;
  readonly ranges: readonly DataRange[];
}

const RANGES_MAX = 65_536;
const ENTRY_BYTES = 24;

/** GNU's old format: 4 ranges in the header, and 21 in each block that follows. */
export async function oldGnuSparse(block: Uint8Array, source: BlockSource): Promise<SparseFile> {
  // Before the next block, because the source may reuse the memory of this one.
  const size = numberIn(block.subarray(483, 495), 'real size');
  const ranges = [...rangesIn(block.subarray(386, 482))];
  let hasMore = block[482] !== 0;
  while (hasMore) {
    const more = await source.block();
    ranges.push(...rangesIn(more.subarray(0, 504)));
    if (ranges.length > RANGES_MAX) throw tooMany();
    hasMore = more[504] !== 0;
  }
  return checked({ size, ranges });
}

function* rangesIn(bytes: Uint8Array): Generator<DataRange, void> {
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    if (fieldString(bytes.subarray(at + 12, at + ENTRY_BYTES)) === '' && bytes[at + 12] === 0) return;
    yield {
      offset: numberIn(bytes.subarray(at, at + 12), 'sparse offset'),
      length: numberIn(bytes.subarray(at + 12, at + ENTRY_BYTES), 'sparse length'),
    };
  }
}

/** Returns undefined for a file that is not sparse. `consumed` counts bytes of the body that were the map of format 1.0. */
export async function paxSparse(
  records: ReadonlyMap<string, string>,
  source: BlockSource,
): Promise<(SparseFile & { readonly consumed: number }) | undefined> {
  if (records.get('GNU.sparse.major') === '1') {
    const size = paxInteger(records, 'GNU.sparse.realsize') ?? 0;
    const map = await mapInBody(source);
    return { ...checked({ size, ranges: map.ranges }), consumed: map.consumed };
  }
  const text = records.get('GNU.sparse.map');
  if (text === undefined) {
    if (records.has('GNU.sparse.size'))
      throw new TarError('a sparse file has format 0.0; create the layer with GNU tar 1.15.92 or newer');
    return undefined;
  }
  const size = paxInteger(records, 'GNU.sparse.size') ?? 0;
  const numbers = text === '' ? [] : text.split(',').map(decimal);
  return { ...checked({ size, ranges: pairs(numbers) }), consumed: 0 };
}

/** Format 1.0: decimal numbers, one a line, padded to whole blocks. The first is their count of pairs. */
async function mapInBody(source: BlockSource): Promise<{ ranges: readonly DataRange[]; consumed: number }> {
  let text = '';
  let consumed = 0;
  for (;;) {
    text += byteString(await source.block());
    consumed += BLOCK_BYTES;
    const lines = text.split('\n');
    const count = lines.length > 1 ? decimal(lines[0] ?? '') : undefined;
    if (count !== undefined && count > RANGES_MAX) throw tooMany();
    if (count !== undefined && lines.length > count * 2 + 1)
      return { ranges: pairs(lines.slice(1, count * 2 + 1).map(decimal)), consumed };
    if (consumed > RANGES_MAX * 2 * 18) throw tooMany();
  }
}

function pairs(numbers: readonly number[]): readonly DataRange[] {
  if (numbers.length > RANGES_MAX * 2) throw tooMany();
  const ranges: DataRange[] = [];
  for (let at = 0; at + 1 < numbers.length; at += 2)
    ranges.push({ offset: numbers[at] ?? 0, length: numbers[at + 1] ?? 0 });
  return ranges;
}

function decimal(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new TarError(`the map of a sparse file contains ${JSON.stringify(text.slice(0, 20))}`);
}

/** Ranges are in order, do not overlap, and are within the file. */
function checked(file: SparseFile): SparseFile {
  let end = 0;
  for (const { offset, length } of file.ranges) {
    if (offset < end) throw new TarError('the ranges of a sparse file overlap or are out of order');
    end = offset + length;
  }
  if (end <= file.size && Number.isSafeInteger(file.size)) return file;
  throw new TarError('the ranges of a sparse file exceed its size');
}

function tooMany(): TarError {
  return new TarError(`a sparse file has more than ${RANGES_MAX} ranges`);
}
