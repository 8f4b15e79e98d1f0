/** Finds runs of zeros in an image, and lets the device zero them instead of sending them. */
import { zeroRange } from './system-calls.ts';

/** Zeros are searched in blocks of this size. */
const ZERO_BLOCK_BYTES = 64 * 1024;
/** Shorter runs cost less to write than to request. */
const ZERO_RUN_MIN_BYTES = 256 * 1024;
/** One request blocks this process, and a slow disk may really write the zeros. */
const ZERO_REQUEST_MAX_BYTES = 64 * 1024 * 1024;
const ZEROS = Buffer.alloc(ZERO_BLOCK_BYTES);

interface Part {
  readonly start: number;
  readonly end: number;
  readonly zero: boolean;
}

/**
 * Returns alternating parts of data and zeros that cover `buffer`. Zero parts have at least
 * ZERO_RUN_MIN_BYTES.
 */
export function splitZeros(buffer: Buffer): readonly Part[] {
  const parts: Part[] = [];
  let dataStart = 0;
  let runStart: number | undefined;
  const endRun = (end: number): void => {
    if (runStart !== undefined && end - runStart >= ZERO_RUN_MIN_BYTES) {
      if (runStart > dataStart) parts.push({ start: dataStart, end: runStart, zero: false });
      parts.push({ start: runStart, end, zero: true });
      dataStart = end;
    }
    runStart = undefined;
  };
  const wholeBlocks = buffer.length - (buffer.length % ZERO_BLOCK_BYTES);
  for (let offset = 0; offset < wholeBlocks; offset += ZERO_BLOCK_BYTES) {
    // The first byte decides for most data, without a call.
    const zero =
      buffer[offset] === 0 &&
      buffer.compare(ZEROS, 0, ZERO_BLOCK_BYTES, offset, offset + ZERO_BLOCK_BYTES) === 0;
    if (zero) runStart ??= offset;
    else endRun(offset);
  }
  endRun(wholeBlocks);
  if (dataStart < buffer.length) parts.push({ start: dataStart, end: buffer.length, zero: false });
  return parts;
}

interface Range {
  readonly offset: number;
  readonly length: number;
}

/** Joins neighbouring runs, requests them in large pieces, and determines what the device supports. */
export class ZeroRuns {
  readonly #descriptor: number;
  #method: 'deallocate' | 'overwrite' | 'none' = 'deallocate';
  #pending: Range | undefined;
  #totalBytes = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Returns false when the device cannot zero a range, so that the zeros must be written. */
  add(offset: number, length: number): boolean {
    if (this.#method === 'none') return false;
    const pending = this.#pending;
    if (this.#totalBytes === 0) {
      // Sent alone, to learn whether the device supports it.
      if (!this.#request({ offset, length })) return false;
    } else if (pending !== undefined && joins(pending, { offset, length })) {
      this.#pending = { offset: pending.offset, length: pending.length + length };
    } else {
      this.flush();
      this.#pending = { offset, length };
    }
    this.#totalBytes += length;
    return true;
  }

  /** @throws Error when the device has accepted such requests before and now refuses. */
  flush(): void {
    if (this.#pending === undefined) return;
    if (!this.#request(this.#pending)) throw new Error('the disk no longer zeroes ranges');
    this.#pending = undefined;
  }

  #request(range: Range): boolean {
    while (this.#method !== 'none') {
      if (zeroRange(this.#descriptor, range, this.#method).ok) return true;
      this.#method = this.#method === 'deallocate' ? 'overwrite' : 'none';
    }
    return false;
  }
}

function joins(pending: Range, next: Range): boolean {
  return (
    pending.offset + pending.length === next.offset && pending.length + next.length <= ZERO_REQUEST_MAX_BYTES
  );
}
