/** Reads entries from a stream, with the headers that precede them applied. */
import { BlockSource } from './block-source.ts';
import { fieldString } from './byte-string.ts';
import { BLOCK_BYTES, decodeHeader, type TarHeader, type TarType } from './header.ts';
import { decodePax, paxInteger, paxTime } from './pax.ts';
import { oldGnuSparse, paxSparse, type SparseFile } from './sparse.ts';
import { TarError } from './tar-error.ts';

export interface TarEntry {
  readonly type: TarType;
  /** A byte string, as it is in the archive. */
  readonly name: string;
  readonly linkName: string;
  readonly mode: number;
  readonly userId: number;
  readonly groupId: number;
  /** Seconds since the Unix epoch, perhaps with a fraction. */
  readonly modifiedSeconds: number;
  readonly deviceMajor: number;
  readonly deviceMinor: number;
  /** Bytes of the file with its holes. 0 for everything else. */
  readonly size: number;
  /** Names without `SCHILY.xattr.`, values as byte strings. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Data with its offset in the file. What is not yielded is a hole. */
  readonly body: AsyncGenerator<{ readonly offset: number; readonly bytes: Uint8Array }, void>;
}

/** PAX headers with attributes of the largest size that Linux allows, and names far above PATH_MAX. */
const EXTENSION_MAX_BYTES = 1024 * 1024;
const EXTENSIONS_MAX = 16;
const ATTRIBUTE_PREFIX = 'SCHILY.xattr.';

/** Yields each entry. A body that was not read to its end is skipped. Throws a TarError. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
  const source = new BlockSource(chunks);
  let globals: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const found = await nextHeader(source, globals);
    if (found === undefined) return;
    globals = found.globals;
    const state = { left: found.size };
    const { entry, sparse } = await entryOf(found, source, state);
    const body = bodyOf(source, state, sparse);
    yield { ...entry, body };
    await skip(source, state);
    const padding = (BLOCK_BYTES - (found.size % BLOCK_BYTES)) % BLOCK_BYTES;
    await skip(source, { left: padding });
  }
}

interface Found {
  readonly header: TarHeader;
  readonly block: Uint8Array;
  readonly records: ReadonlyMap<string, string>;
  readonly globals: ReadonlyMap<string, string>;
  readonly longName?: string;
  readonly longLink?: string;
  /** Bytes of the body in the stream. */
  readonly size: number;
}

async function nextHeader(
  source: BlockSource,
  before: ReadonlyMap<string, string>,
): Promise<Found | undefined> {
  let globals = before;
  let local: ReadonlyMap<string, string> = new Map();
  const long: { longName?: string; longLink?: string } = {};
  for (let count = 0; count <= EXTENSIONS_MAX; count += 1) {
    const block = await source.blockOrEnd();
    const header = block === undefined ? undefined : decodeHeader(block);
    if (header === undefined || block === undefined) return undefined;
    if (!isExtension(header)) {
      const records = new Map([...globals, ...local]);
      const size = hasBody(header) ? (paxInteger(records, 'size') ?? header.size) : 0;
      return { header, block, records, globals, size, ...long };
    }
    const bytes = await extensionIn(header, source);
    if (header.kind === 'pax') local = decodePax(bytes);
    else if (header.kind === 'pax-global') globals = new Map([...globals, ...decodePax(bytes)]);
    else long[header.kind === 'gnu-long-name' ? 'longName' : 'longLink'] = fieldString(bytes);
  }
  throw new TarError(`an entry has more than ${EXTENSIONS_MAX} extended headers`);
}

async function extensionIn({ size }: TarHeader, source: BlockSource): Promise<Uint8Array> {
  if (size >= 0 && size <= EXTENSION_MAX_BYTES) return source.whole(size);
  throw new TarError(`an extended header has ${size} bytes; at most ${EXTENSION_MAX_BYTES} are allowed`);
}

function isExtension({ kind }: TarHeader): boolean {
  return ['pax', 'pax-global', 'gnu-long-name', 'gnu-long-link'].includes(kind);
}

/** Other types have no body, whatever the size says. */
function hasBody({ kind }: TarHeader): boolean {
  return kind === 'file' || kind === 'gnu-sparse';
}

async function entryOf(
  { header, block, records, longName, longLink, size }: Found,
  source: BlockSource,
  state: { left: number },
): Promise<{ entry: Omit<TarEntry, 'body'>; sparse: SparseFile | undefined }> {
  if (size < 0) throw new TarError(`the size ${size} of an entry is negative`);
  const sparse = await sparseOf({ header, block, records }, source, state);
  const attributes = [...records].filter(([key]) => key.startsWith(ATTRIBUTE_PREFIX));
  const entry = {
    type: typeOf(header),
    name: records.get('GNU.sparse.name') ?? records.get('path') ?? longName ?? header.name,
    linkName: records.get('linkpath') ?? longLink ?? header.linkName,
    mode: header.mode,
    userId: paxInteger(records, 'uid') ?? header.userId,
    groupId: paxInteger(records, 'gid') ?? header.groupId,
    modifiedSeconds: paxTime(records, 'mtime') ?? header.modifiedSeconds,
    deviceMajor: header.deviceMajor,
    deviceMinor: header.deviceMinor,
    size: sparse?.size ?? size,
    attributes: new Map(attributes.map(([key, value]) => [key.slice(ATTRIBUTE_PREFIX.length), value])),
  };
  return { entry, sparse };
}

async function sparseOf(
  { header, block, records }: Pick<Found, 'header' | 'block' | 'records'>,
  source: BlockSource,
  state: { left: number },
): Promise<SparseFile | undefined> {
  if (header.kind === 'gnu-sparse') return oldGnuSparse(block, source);
  if (header.kind !== 'file') return undefined;
  const found = await paxSparse(records, source);
  state.left -= found?.consumed ?? 0;
  if (state.left < 0) throw new TarError('the map of a sparse file exceeds its entry');
  return found;
}

/** Old archives mark a directory with a slash at the end of its name. */
function typeOf({ kind, name }: TarHeader): TarType {
  if (kind === 'file') return name.endsWith('/') ? 'directory' : 'file';
  if (kind === 'gnu-sparse') return 'file';
  if (kind === 'pax' || kind === 'pax-global' || kind === 'gnu-long-name' || kind === 'gnu-long-link')
    throw new TarError(`an extended header of type ${kind} precedes no entry`);
  return kind;
}

async function* bodyOf(
  source: BlockSource,
  state: { left: number },
  sparse: SparseFile | undefined,
): AsyncGenerator<{ readonly offset: number; readonly bytes: Uint8Array }, void> {
  for (const range of sparse?.ranges ?? [{ offset: 0, length: state.left }]) {
    let done = 0;
    while (done < range.length) {
      const bytes = await source.some(Math.min(range.length - done, state.left));
      if (state.left === 0 || bytes === undefined) throw new TarError('the archive ends within an entry');
      state.left -= bytes.length;
      yield { offset: range.offset + done, bytes };
      done += bytes.length;
    }
  }
}

async function skip(source: BlockSource, state: { left: number }): Promise<void> {
  while (state.left > 0) {
    const bytes = await source.some(state.left);
    if (bytes === undefined) throw new TarError('the archive ends within an entry');
    state.left -= bytes.length;
  }
}
