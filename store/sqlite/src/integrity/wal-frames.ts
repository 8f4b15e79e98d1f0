/**
 * SQLite's write-ahead log as a file: a header of 32 bytes, and frames of 24 bytes and a page. Checksums are cumulative, so that one
 * flipped bit makes SQLite ignore everything after it. Source: https://sqlite.org/fileformat2.html#walformat
 */
import { existsSync, readFileSync, statSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The lowest bit is the byte order in which the checksums are computed. */
const MAGIC = 0x377f0682;
const FORMAT = 3007000;
const PAGE_BYTES_DEFAULT = 4096;

type Sum = readonly [number, number];

/** Returns the checksum of `bytes`, continued from `seed`. The length must be a multiple of 8. */
export function walChecksum(bytes: Buffer, seed: Sum, isBigEndian: boolean): Sum {
  let [first, second] = seed;
  for (let offset = 0; offset < bytes.length; offset += 8) {
    const [a, b] = isBigEndian
      ? [bytes.readUInt32BE(offset), bytes.readUInt32BE(offset + 4)]
      : [bytes.readUInt32LE(offset), bytes.readUInt32LE(offset + 4)];
    first = (first + a + second) >>> 0;
    second = (second + b + first) >>> 0;
  }
  return [first, second];
}

/**
 * Returns what stops SQLite from reading the log to its end: frames of this generation after one that does
 * not match.
 */
export function walDamage(databasePath: string): string | undefined {
  const path = `${databasePath}-wal`;
  if (!existsSync(path)) return 'it is absent';
  const bytes = readFileSync(path);
  if (bytes.length < HEADER_BYTES) return `it has ${bytes.length} bytes`;
  const header = headerFrom(bytes);
  if (header === undefined) return 'its header at byte 0 does not match its checksum';
  const { frameBytes, isBigEndian } = header;
  let sum: Sum = header.sum;
  for (let offset = HEADER_BYTES; offset + frameBytes <= bytes.length; offset += frameBytes) {
    sum = frameSum(bytes.subarray(offset, offset + frameBytes), sum, isBigEndian);
    const stored = sumAt(bytes, offset + 16);
    const isOfThis = bytes.compare(header.salts, 0, 8, offset + 8, offset + 16) === 0;
    if (isOfThis && stored[0] === sum[0] && stored[1] === sum[1]) continue;
    const number = (offset - HEADER_BYTES) / frameBytes + 1;
    return `it can be read up to frame ${number} at byte ${offset}, which does not match its checksum`;
  }
  return `it ends at byte ${bytes.length}`;
}

/**
 * Makes every frame of the log's generation valid again, with new checksums. A frame with a flipped bit is
 * then a page with a flipped bit, and the rows on it have their own checksums. Changes `bytes`, and returns
 * the number of frames that did not match.
 */
export function repairWal(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES + FRAME_HEADER_BYTES) return 0;
  const header = headerFrom(bytes) ?? writeHeader(bytes);
  const frames = framesOf(bytes, header);
  const wrong = new Set(wrongFrames(frames, header));
  const intact = frames.filter((frame) => !wrong.has(frame));
  const pagesMax = Math.max(1, ...intact.map((frame) => frame.readUInt32BE(4)));
  const lastCommit = frames.findLastIndex((frame) => !wrong.has(frame) && frame.readUInt32BE(4) > 0);
  const lastWrong = frames.findLastIndex((frame) => wrong.has(frame));
  let sum: Sum = header.sum;
  for (const [index, frame] of frames.entries()) {
    if (wrong.has(frame)) makePossible(frame, frames[index - 1], pagesMax);
    const isEnd = index === frames.length - 1 && lastCommit < lastWrong;
    if (isEnd && frame.readUInt32BE(4) === 0) frame.writeUInt32BE(pagesMax, 4);
    header.salts.copy(frame, 8);
    sum = frameSum(frame, sum, header.isBigEndian);
    frame.writeUInt32BE(sum[0], 16);
    frame.writeUInt32BE(sum[1], 20);
  }
  return wrong.size;
}

/** Reads up to the last frame of the log's generation. Frames after it belong to the previous one. */
function framesOf(bytes: Buffer, { frameBytes, salts }: WalHeader): readonly Buffer[] {
  const count = Math.floor((bytes.length - HEADER_BYTES) / frameBytes);
  const all = Array.from({ length: count }, (_, index) => {
    const offset = HEADER_BYTES + index * frameBytes;
    return bytes.subarray(offset, offset + frameBytes);
  });
  return all.slice(0, 1 + all.findLastIndex((frame) => frame.compare(salts, 0, 8, 8, 16) === 0));
}

/** Each is checked from the checksum in the previous frame. */
function wrongFrames(frames: readonly Buffer[], header: WalHeader): readonly Buffer[] {
  return frames.filter((frame, index) => {
    const before = frames[index - 1];
    const seed = before === undefined ? header.sum : sumAt(before, 16);
    const [sum, stored] = [frameSum(frame, seed, header.isBigEndian), sumAt(frame, 16)];
    return sum[0] !== stored[0] || sum[1] !== stored[1];
  });
}

/** A frame that names no page of the database repeats the one before it. */
function makePossible(frame: Buffer, before: Buffer | undefined, pagesMax: number): void {
  const page = frame.readUInt32BE(0);
  if (frame.readUInt32BE(4) > pagesMax) frame.writeUInt32BE(pagesMax, 4);
  if (page >= 1 && page <= pagesMax) return;
  if (before === undefined) frame.writeUInt32BE(pagesMax, 0);
  else before.copy(frame);
}

/**
 * Returns the page size from the database's own header, or the size that this program uses when the header is
 * damaged.
 */
function pageBytesOf(value: number): number {
  const isPossible = value >= 512 && value <= 65_536 && (value & (value - 1)) === 0;
  return isPossible ? value : PAGE_BYTES_DEFAULT;
}

interface WalHeader {
  readonly frameBytes: number;
  readonly isBigEndian: boolean;
  readonly salts: Buffer;
  readonly sum: Sum;
}

function headerFrom(bytes: Buffer): WalHeader | undefined {
  const magic = bytes.readUInt32BE(0);
  const isBigEndian = (magic & 1) === 1;
  const sum = walChecksum(bytes.subarray(0, 24), [0, 0], isBigEndian);
  const stored = sumAt(bytes, 24);
  if (magic >>> 1 !== MAGIC >>> 1 || stored[0] !== sum[0] || stored[1] !== sum[1]) return undefined;
  const frameBytes = FRAME_HEADER_BYTES + pageBytesOf(bytes.readUInt32BE(8));
  return { frameBytes, isBigEndian, salts: Buffer.from(bytes.subarray(16, 24)), sum };
}

/** Returns a header like the original one, with the salts of the first frame. */
function writeHeader(bytes: Buffer): WalHeader {
  bytes.writeUInt32BE(MAGIC, 0);
  bytes.writeUInt32BE(FORMAT, 4);
  bytes.writeUInt32BE(PAGE_BYTES_DEFAULT, 8);
  bytes.copy(bytes, 16, HEADER_BYTES + 8, HEADER_BYTES + 16);
  const sum = walChecksum(bytes.subarray(0, 24), [0, 0], false);
  bytes.writeUInt32BE(sum[0], 24);
  bytes.writeUInt32BE(sum[1], 28);
  const salts = Buffer.from(bytes.subarray(16, 24));
  return { frameBytes: FRAME_HEADER_BYTES + PAGE_BYTES_DEFAULT, isBigEndian: false, salts, sum };
}

/** Returns the checksum of the first 8 bytes of the frame's header, and its page. */
function frameSum(frame: Buffer, seed: Sum, isBigEndian: boolean): Sum {
  const sum = walChecksum(frame.subarray(0, 8), seed, isBigEndian);
  return walChecksum(frame.subarray(FRAME_HEADER_BYTES), sum, isBigEndian);
}

function sumAt(bytes: Buffer, offset: number): Sum {
  return [bytes.readUInt32BE(offset), bytes.readUInt32BE(offset + 4)];
}

/** Returns the bytes of the log, or 0 when there is none. */
export function walBytes(databasePath: string): number {
  return statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
