/** Decodes header blocks (RFC 7541). One decoder serves one direction of a connection, because blocks refer to earlier ones. */
import { ConnectionError, errorCodes } from './frame.ts';
import { decodeHuffman } from './huffman.ts';
import { RepeatedBlocks } from './repeated-blocks.ts';
import { STATIC_COUNT, staticNames, staticValues } from './static-table.ts';
import type { TextPool } from './text-pool.ts';

/** The size of the dynamic table that a client may use unless the server allows another one. */
const TABLE_BYTES_MAX = 4096;
/** What an entry counts besides its texts (section 4.1). */
const ENTRY_BYTES = 32;
/** Nothing in a block is longer than the block. */
const INTEGER_MAX = 0x0fff_ffff;
/** Longer texts are decoded by the platform, which is faster from here on. */
const OWN_TEXT_BYTES_MAX = 12;

/** Returns the characters of ISO 8859-1, as in Node. */
export type DecodeText = (bytes: Uint8Array) => string;

/** Names and values by turns. Undefined: more than the limit. */
export type DecodedFields = readonly string[] | undefined;

export class HpackDecoder {
  readonly #pool: TextPool;
  readonly #listBytesMax: number;
  readonly #decodeText: DecodeText;
  /** Names and values by turns, the newest entry last. */
  readonly #table: string[] = [];
  #tableBytes = 0;
  #tableBytesMax = TABLE_BYTES_MAX;
  readonly #repeated = new RepeatedBlocks();
  #isTableChanged = false;
  #block: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The field that was decoded last: a pair for each would be garbage. */
  #name = '';
  #value = '';

  constructor(pool: TextPool, listBytesMax: number, decodeText: DecodeText) {
    this.#pool = pool;
    this.#decodeText = decodeText;
    this.#listBytesMax = listBytesMax;
  }

  /**
   * Returns the same list again for a block that is repeated. A list above the limit is decoded to its end, because later blocks refer to
   * it. Throws a ConnectionError.
   */
  decode(block: Uint8Array): DecodedFields {
    return this.#repeated.fieldsOf(block) ?? this.#decode(block);
  }

  #decode(block: Uint8Array): DecodedFields {
    this.#block = block;
    this.#at = 0;
    this.#isTableChanged = false;
    const fields: string[] = [];
    let bytes = 0;
    while (this.#at < block.length) {
      const first = block[this.#at] ?? 0;
      if ((first & 0xe0) === 0x20) {
        if (bytes > 0) throw broken('the size of the table changes within a block');
        this.#resize(this.#integer(5));
        continue;
      }
      if (first >= 0x80) this.#indexed();
      else this.#literal(first);
      bytes += this.#name.length + this.#value.length + ENTRY_BYTES;
      if (bytes <= this.#listBytesMax) fields.push(this.#name, this.#value);
    }
    this.#block = EMPTY;
    if (bytes > this.#listBytesMax) return undefined;
    if (!this.#isTableChanged) this.#repeated.keep(block, fields);
    return fields;
  }

  #indexed(): void {
    const index = this.#integer(7);
    this.#name = this.#nameAt(index);
    this.#value = this.#valueAt(index);
  }

  #literal(first: number): void {
    const isIndexed = (first & 0x40) !== 0;
    const index = this.#integer(isIndexed ? 6 : 4);
    this.#name = index === 0 ? this.#text() : this.#nameAt(index);
    this.#value = this.#text();
    if (!isIndexed) return;
    this.#name = this.#pool.shared(this.#name);
    this.#value = this.#pool.shared(this.#value);
    this.#add(this.#name, this.#value);
  }

  #nameAt(index: number): string {
    return (index <= STATIC_COUNT ? staticNames[index] : this.#table[this.#place(index)]) || missing(index);
  }

  #valueAt(index: number): string {
    const value = index <= STATIC_COUNT ? staticValues[index] : this.#table[this.#place(index) + 1];
    return value ?? missing(index);
  }

  #place(index: number): number {
    return this.#table.length - (index - STATIC_COUNT) * 2;
  }

  #add(name: string, value: string): void {
    this.#changeTable();
    const bytes = name.length + value.length + ENTRY_BYTES;
    this.#evict(this.#tableBytesMax - bytes);
    if (bytes > this.#tableBytesMax) return;
    this.#table.push(name, value);
    this.#tableBytes += bytes;
  }

  #resize(bytesMax: number): void {
    if (bytesMax > TABLE_BYTES_MAX) throw broken(`a table of ${bytesMax} bytes`);
    this.#changeTable();
    this.#tableBytesMax = bytesMax;
    this.#evict(bytesMax);
  }

  #changeTable(): void {
    this.#isTableChanged = true;
    this.#repeated.forget();
  }

  #evict(bytesMax: number): void {
    let count = 0;
    while (this.#tableBytes > bytesMax && count < this.#table.length) {
      this.#tableBytes -=
        (this.#table[count]?.length ?? 0) + (this.#table[count + 1]?.length ?? 0) + ENTRY_BYTES;
      count += 2;
    }
    if (count > 0) this.#table.splice(0, count);
  }

  /** Section 5.1. */
  #integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.#byte() & mask;
    if (value < mask) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (value > INTEGER_MAX) throw broken('an integer is too large');
      if (byte < 0x80) return value;
      // Zeros without end would not make it larger.
      if (shift > 28) throw broken('an integer is too long');
    }
  }

  /** Section 5.2. */
  #text(): string {
    const isHuffman = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#integer(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw broken('a text is longer than its block');
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    const plain = isHuffman ? decodeHuffman(bytes) : bytes;
    if (plain === undefined) throw broken('a text is not in the Huffman code');
    if (plain.length > OWN_TEXT_BYTES_MAX) return this.#decodeText(plain);
    // More than twice as fast as spreading the bytes.
    return Reflect.apply(String.fromCharCode, undefined, plain);
  }

  #byte(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw broken('a block ends early');
    this.#at += 1;
    return byte;
  }
}

const EMPTY = new Uint8Array(0);

function missing(index: number): never {
  throw broken(`the table has no entry ${index}`);
}

function broken(message: string): ConnectionError {
  return new ConnectionError(errorCodes.compression, message);
}
