/**
 * Reads the first BYTES of DEVICE past the page cache and hashes each MiB, on two threads: what cannot be left out to find the chunks that
 * a disk has already. Arguments: DEVICE BYTES. Plain JavaScript, because its whole time is measured.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';

const CHUNK_BYTES = 1024 * 1024;
const READ_BYTES = 4 * CHUNK_BYTES;
const WASM_PAGE_BYTES = 64 * 1024;
const argv = process.argv.slice(2);

const other = isMainThread ? new Worker(fileURLToPath(import.meta.url), { argv }) : undefined;
hashPart(other === undefined ? READ_BYTES : 0);

/** Every other piece, from this one on. */
function hashPart(first) {
  const [device = '', bytes = ''] = argv;
  const file = openSync(device, constants.O_RDONLY | constants.O_DIRECT);
  // Memory of WebAssembly is page-aligned, as such reads need it.
  const memory = new WebAssembly.Memory({ initial: READ_BYTES / WASM_PAGE_BYTES });
  const buffer = new Uint8Array(memory.buffer);
  for (let at = first; at < Number(bytes); at += 2 * READ_BYTES) {
    const length = readSync(file, buffer, 0, READ_BYTES, at);
    for (let start = 0; start < length; start += CHUNK_BYTES)
      hash('sha256', buffer.subarray(start, start + CHUNK_BYTES));
  }
  closeSync(file);
}
