import { clusterOffset, decodeHeader, HEADER_BYTES, type Qcow2Header } from './header.ts';
import { readCluster, type Cluster } from './cluster.ts';
import { Qcow2Error } from './qcow2-error.ts';

/** A file to read from. `read` returns fewer bytes only at the end of the file. */
export interface ImageFile {
  readonly sizeBytes: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/**
 * Returns the first `length` bytes that the input decodes to. Bytes may follow the end of the stream. It must stop there, and
 * reject when there are fewer.
 */
export type Decoder = (input: Uint8Array, length: number) => Promise<Uint8Array>;

/** `zlib` is raw deflate (RFC 1951), and `zstd` is RFC 8878. */
export type Decoders = Readonly<Record<Qcow2Header['compression'], Decoder>>;

/** What comes next on the disk. */
export type ImagePart =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'zeros'; readonly length: number };

export interface Qcow2Image {
  readonly diskBytes: number;
  readonly header: Qcow2Header;
  /** Yields parts that cover the disk, in order. Throws a `Qcow2Error` for a table or a cluster that is damaged. */
  parts(decoders: Decoders): AsyncGenerator<ImagePart, void>;
}

/** Neighbouring clusters are read together, up to this. */
const READ_BYTES_MAX = 2 * 1024 * 1024;
/** L1 entries are read in pieces of this many bytes. */
const L1_PIECE_BYTES = 64 * 1024;
/** Bits 9 to 55 of an L1 entry. */
const OFFSET_MASK = 0x00ff_ffff_ffff_fe00n;

/** Throws a `Qcow2Error` for an image that cannot be read. */
export async function openQcow2(file: ImageFile): Promise<Qcow2Image> {
  const header = decodeHeader(await file.read(0, HEADER_BYTES));
  return { diskBytes: header.diskBytes, header, parts: (decoders) => readParts({ file, header }, decoders) };
}

interface Opened {
  readonly file: ImageFile;
  readonly header: Qcow2Header;
}

/** Joins neighbouring clusters of the same kind. */
async function* readParts(image: Opened, decoders: Decoders): AsyncGenerator<ImagePart, void> {
  const { file, header } = image;
  let left = header.diskBytes;
  let zeros = 0;
  let run = { offset: 0, length: 0 };
  async function* pending(): AsyncGenerator<ImagePart, void> {
    if (zeros > 0) yield { kind: 'zeros', length: zeros };
    if (run.length > 0) yield { kind: 'data', bytes: await readPadded(file, run.offset, run.length) };
    zeros = 0;
    run = { offset: 0, length: 0 };
  }
  for await (const { cluster, length: wanted } of clusters(image)) {
    const length = Math.min(wanted, left);
    left -= length;
    if (cluster.kind === 'zeros') {
      if (run.length > 0) yield* pending();
      zeros += length;
    } else if (cluster.kind === 'plain') {
      const joins =
        run.length > 0 && run.offset + run.length === cluster.offset && run.length + length <= READ_BYTES_MAX;
      if (!joins) yield* pending();
      run = joins ? { offset: run.offset, length: run.length + length } : { offset: cluster.offset, length };
    } else {
      yield* pending();
      const packed = await file.read(cluster.offset, cluster.length);
      yield { kind: 'data', bytes: (await decode(packed, image, decoders)).subarray(0, length) };
    }
  }
  yield* pending();
}

/** Every cluster of the disk. A missing L2 table is one long run of zeros. */
async function* clusters(image: Opened): AsyncGenerator<{ cluster: Cluster; length: number }, void> {
  const { header } = image;
  const clusterBytes = 2 ** header.clusterBits;
  const perTable = clusterBytes / 8;
  const count = Math.ceil(header.diskBytes / clusterBytes);
  let index = 0;
  for await (const entry of l1Entries(image)) {
    const end = Math.min(index + perTable, count);
    const offset = clusterOffset(entry & OFFSET_MASK, header.clusterBits, `L1 entry ${index / perTable}`);
    if (offset === 0) {
      yield { cluster: { kind: 'zeros' }, length: (end - index) * clusterBytes };
      index = end;
      continue;
    }
    const table = await readTable(image, offset, clusterBytes);
    for (; index < end; index += 1) {
      const cluster = readCluster(table.getBigUint64((index % perTable) * 8), index, {
        ...header,
        fileBytes: image.file.sizeBytes,
      });
      yield { cluster, length: clusterBytes };
    }
  }
}

async function* l1Entries(image: Opened): AsyncGenerator<bigint, void> {
  const { l1Offset, l1Entries: count } = image.header;
  const end = l1Offset + count * 8;
  for (let offset = l1Offset; offset < end; offset += L1_PIECE_BYTES) {
    const length = Math.min(L1_PIECE_BYTES, end - offset);
    const table = await readTable(image, offset, length);
    for (let at = 0; at < length; at += 8) yield table.getBigUint64(at);
  }
}

async function readTable({ file }: Opened, offset: number, length: number): Promise<DataView> {
  const bytes = await file.read(offset, length);
  if (bytes.length < length)
    throw new Qcow2Error('table', `at ${offset} is beyond the end of the file of ${file.sizeBytes} bytes`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A file may end within its last cluster, whose rest is zeros. */
async function readPadded(file: ImageFile, offset: number, length: number): Promise<Uint8Array> {
  const bytes = await file.read(offset, length);
  if (bytes.length === length) return bytes;
  const whole = new Uint8Array(length);
  whole.set(bytes);
  return whole;
}

async function decode(packed: Uint8Array, { header }: Opened, decoders: Decoders): Promise<Uint8Array> {
  const clusterBytes = 2 ** header.clusterBits;
  const bytes = await decoders[header.compression](packed, clusterBytes);
  if (bytes.length === clusterBytes) return bytes;
  throw new Qcow2Error('compressed cluster', `has ${bytes.length} of ${clusterBytes} bytes`);
}
