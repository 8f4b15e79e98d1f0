/**
 * The Huffman code of RFC 7541, appendix B. The code is canonical: codes of one length follow each other in the order of their symbols,
 * and longer codes follow shorter ones. The lengths are therefore all that must be known.
 */

const LENGTHS: readonly number[] = `
  13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28
  28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
  6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6
  5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10
  13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7
  7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6
  15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5
  6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28
  20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23
  24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
  22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23
  21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
  26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25
  19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
  20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23
  26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26`
  .trim()
  .split(/\s+/)
  .map(Number);

const LENGTH_MAX = 30;
/** An entry of a table is another table, or this bit, the bits of the code within the table, and the symbol. */
const IS_SYMBOL = 0x8000;

/** Tables of 256 entries, one for each eight bits of a code. An entry of 0 belongs to the end-of-string code, which is an error. */
const tables = tablesOf(LENGTHS);

/** For all texts but the longest: memory for each text would cost more than decoding it. */
const scratch = new Uint8Array(4096);

/** Returns the bytes, which are valid until the next call, or undefined when `bytes` are not a text in this code. */
export function decodeHuffman(bytes: Uint8Array): Uint8Array | undefined {
  // No code is shorter than 5 bits.
  const lengthMax = Math.floor((bytes.length * 8) / 5);
  const text = lengthMax <= scratch.length ? scratch : new Uint8Array(lengthMax);
  let length = 0;
  let table = 0;
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    count += 8;
    while (count >= 8) {
      const entry = tables[table + ((bits >> (count - 8)) & 0xff)] ?? 0;
      if (entry === 0) return undefined;
      if ((entry & IS_SYMBOL) === 0) {
        table = entry;
        count -= 8;
      } else {
        text[length] = entry & 0xff;
        length += 1;
        table = 0;
        count -= (entry >> 8) & 0xf;
      }
    }
  }
  const rest = lastSymbols({ table, bits, count });
  if (rest === undefined) return undefined;
  text.set(rest, length);
  return text.subarray(0, length + rest.length);
}

interface Rest {
  readonly table: number;
  readonly bits: number;
  /** Fewer than eight. */
  readonly count: number;
}

/** The text is padded with ones, less than a byte (section 5.2). */
function lastSymbols({ table, bits, count }: Rest): readonly number[] | undefined {
  const symbols: number[] = [];
  let left = count;
  let at = table;
  while (left > 0) {
    const entry = tables[at + ((bits << (8 - left)) & 0xff)] ?? 0;
    const length = (entry >> 8) & 0xf;
    if ((entry & IS_SYMBOL) === 0 || length > left) break;
    symbols.push(entry & 0xff);
    left -= length;
    at = 0;
  }
  const padding = (1 << left) - 1;
  return at === 0 && (bits & padding) === padding ? symbols : undefined;
}

function tablesOf(lengths: readonly number[]): Uint16Array {
  const made: number[] = Array.from({ length: 256 }, () => 0);
  let code = 0;
  for (let length = 1; length <= LENGTH_MAX; length++) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      place(made, { symbol, code, length });
      code += 1;
    }
    code *= 2;
  }
  return Uint16Array.from(made);
}

interface Code {
  readonly symbol: number;
  readonly code: number;
  readonly length: number;
}

function place(made: number[], { symbol, code, length }: Code): void {
  let table = 0;
  let left = length;
  for (; left > 8; left -= 8) {
    const at = table + ((code >>> (left - 8)) & 0xff);
    if (made[at] === 0) {
      made[at] = made.length;
      made.push(...Array.from({ length: 256 }, () => 0));
    }
    table = made[at] ?? 0;
  }
  const first = (code << (8 - left)) & 0xff;
  made.fill(IS_SYMBOL | (left << 8) | symbol, table + first, table + first + (1 << (8 - left)));
}
