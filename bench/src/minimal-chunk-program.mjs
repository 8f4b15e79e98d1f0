/**
 * Brings a disk to the next version of an image, and does only what cannot be left out: it reads and hashes what the disk has, and
 * fetches, unpacks, hashes and writes the chunks that differ, on two threads. It zeroes no gaps, asks for no peers and repeats nothing.
 * Arguments: DEVICE URL. Plain JavaScript, because its whole time is measured.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';

const STRETCH_CHUNKS = 2;
/** Stretches of a thread at once: some arrive while one is unpacked. */
const LANES = 3;
const WASM_PAGE_BYTES = 64 * 1024;
const argv = process.argv.slice(2);
const [device = '', url = ''] = argv;

process.removeAllListeners('warning');
const { ZSTD_decompress: unpack } = process.getBuiltinModule('node:ffi').dlopen(null, {
  ZSTD_decompress: { return: 'u64', arguments: ['buffer', 'u64', 'buffer', 'u64'] },
}).functions;
const other = isMainThread ? new Worker(fileURLToPath(import.meta.url), { argv }) : undefined;
const agent = new Agent({ keepAlive: true });
const file = openSync(device, constants.O_RDWR | constants.O_DIRECT);
await writePart(other === undefined ? 1 : 0);
agent.destroy();
closeSync(file);

/** Every other stretch, from this one on. */
async function writePart(first) {
  const { chunkBytes, diskBytes, stretches } = await imageAt(url);
  let next = first;
  const lane = async () => {
    // Memory of WebAssembly is page-aligned, as direct reads and writes need it.
    const pages = (STRETCH_CHUNKS * chunkBytes) / WASM_PAGE_BYTES;
    const memory = new Uint8Array(new WebAssembly.Memory({ initial: pages }).buffer);
    for (; next < stretches.length;) {
      const stretch = stretches[next];
      next += 2;
      const at = stretch[0].position * chunkBytes;
      const part = memory.subarray(0, Math.min(stretch.length * chunkBytes, diskBytes - at));
      if (isThere(stretch, { part, at, chunkBytes })) continue;
      const packed = await body(stretch[0].packUrl, stretch);
      for (const [index, chunk] of stretch.entries()) {
        const target = part.subarray(index * chunkBytes, (index + 1) * chunkBytes);
        const source = packed.subarray(chunk.offset - stretch[0].offset).subarray(0, chunk.length);
        unpack(target, BigInt(target.length), source, BigInt(source.length));
        if (hash('sha256', target) !== chunk.sha256) throw new Error(`chunk ${chunk.position} is wrong`);
      }
      writeSync(file, part, 0, part.length, at);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function isThere(stretch, { part, at, chunkBytes }) {
  readSync(file, part, 0, part.length, at);
  return stretch.every(
    ({ sha256 }, index) =>
      hash('sha256', part.subarray(index * chunkBytes, (index + 1) * chunkBytes)) === sha256,
  );
}

/** Chunks that are neighbours on the disk and in their pack are one stretch. */
async function imageAt(manifestUrl) {
  const { config, layers } = JSON.parse(await body(manifestUrl));
  const blob = (digest) => manifestUrl.replace(/\/manifests\/[^/]*$/, `/blobs/${digest}`);
  const { chunkBytes, diskBytes, chunks, runs } = JSON.parse(await body(blob(config.digest)));
  const stretches = [];
  for (const [position, chunk, count] of runs)
    for (let index = 0; index < count; index += 1) {
      const [sha256, pack, offset, length] = chunks[chunk + index];
      const last = stretches.at(-1);
      const end = last?.at(-1);
      const isNext =
        end?.position === position + index - 1 && end.pack === pack && end.offset + end.length === offset;
      const found = {
        position: position + index,
        sha256,
        pack,
        offset,
        length,
        packUrl: blob(layers[pack].digest),
      };
      if (isNext && last.length < STRETCH_CHUNKS) last.push(found);
      else stretches.push([found]);
    }
  return { chunkBytes, diskBytes, stretches };
}

function body(from, stretch) {
  const { offset: end, length } = stretch?.at(-1) ?? {};
  const headers = stretch === undefined ? {} : { range: `bytes=${stretch[0].offset}-${end + length - 1}` };
  return new Promise((resolve, reject) => {
    get(from, { headers, agent }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece)).on('end', () => resolve(Buffer.concat(pieces)));
    }).on('error', reject);
  });
}
