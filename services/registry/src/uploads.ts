/** Uploads in progress. Each is a file, so that it survives a restart of the server. */
import { createHash, type Hash } from 'node:crypto';
import { algorithmOf, hexOf, type Digest } from '@tinkerbell/oci';
import type { Clock, OwnedTree, Random } from '@tinkerbell/platform-contract';
import type { BlobStore } from './blobs.ts';
import { UPLOADS } from './layout.ts';
import type { RegistryMetrics } from './metrics.ts';
import { RegistryError } from './registry-error.ts';
import type { Space } from './space.ts';

/** Each may hold a file and a hash. Many clients that push many layers at once have fewer. */
const UPLOADS_MAX = 1000;
/** An upload is removed when nothing came for this long. */
export const ABANDONED_MS = 24 * 60 * 60 * 1000;
/** After this much, the free space is checked again. */
const CHECKED_BYTES = 64 * 1024 * 1024;
/** The hash of what is written is known at the end, and need not be computed from the file. */
const HASHED = 'sha256';

interface Begun {
  readonly hash: Hash;
  hashedBytes: number;
}

export interface UploadPlace {
  readonly repository: string;
  readonly id: string;
}

export interface Chunks {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Where the client believes that the chunk begins. */
  readonly start?: number | undefined;
  /** The bytes that the client announced. */
  readonly lengthBytes?: number | undefined;
}

export interface UploadsParts {
  readonly tree: OwnedTree;
  readonly clock: Clock;
  readonly random: Random;
  readonly blobs: BlobStore;
  readonly space: Space;
  readonly metrics: RegistryMetrics;
}

export class Uploads {
  readonly #parts: UploadsParts;
  readonly #begun = new Map<string, Begun>();
  readonly #busy = new Set<string>();
  #count = 0;

  constructor(parts: UploadsParts) {
    this.#parts = parts;
  }

  async begin(repository: string): Promise<UploadPlace> {
    const { tree, random } = this.#parts;
    if (this.#count >= UPLOADS_MAX)
      throw new RegistryError(
        'TOOMANYREQUESTS',
        `${UPLOADS_MAX} uploads are open; try again when some have ended`,
        { headers: { 'retry-after': '60' } },
      );
    const place = { repository, id: Buffer.from(random.bytes(16)).toString('hex') };
    this.#counted(1);
    try {
      const file = await tree.append(pathOf(place));
      await file.close();
    } catch (thrown) {
      this.#counted(-1);
      throw thrown;
    }
    this.#begun.set(place.id, { hash: createHash(HASHED), hashedBytes: 0 });
    return place;
  }

  /** Returns the bytes that have arrived. Throws a RegistryError for an upload that the repository does not have. */
  async size(place: UploadPlace): Promise<number> {
    const found = isId(place.id) ? await this.#parts.tree.stat(pathOf(place)) : undefined;
    if (found !== undefined) return found.sizeBytes;
    throw new RegistryError(
      'BLOB_UPLOAD_UNKNOWN',
      'the repository has no such upload; it ended, was abandoned for a day, or never began. Begin a new one',
    );
  }

  /** Returns the bytes that have arrived in all. What arrived before a failure stays, and the client may resume there. */
  append(place: UploadPlace, body: Chunks): Promise<number> {
    return this.#alone(place, (size) => this.#append(place, body, size));
  }

  /** Appends the rest, verifies the digest, and makes the upload a blob of the repository. */
  async finish(place: UploadPlace, body: Chunks, digest: Digest): Promise<void> {
    await this.#alone(place, async (sizeBefore) => {
      const { tree, blobs, space } = this.#parts;
      const size = await this.#append(place, body, sizeBefore);
      const actual = await this.#hashOf(place, digest, size);
      if (actual !== hexOf(digest)) {
        await this.#remove(place);
        throw new RegistryError(
          'DIGEST_INVALID',
          `the ${size} bytes have the digest ${algorithmOf(digest)}:${actual}, not ${digest}; the upload was removed`,
        );
      }
      await space.require(0, size);
      await blobs.adopt(place.repository, digest, pathOf(place));
      await tree.remove(pathOf(place));
      this.#forget(place);
    });
  }

  async cancel(place: UploadPlace): Promise<void> {
    await this.#alone(place, () => this.#remove(place));
  }

  /** Removes abandoned uploads, and returns how many. Counts the others, which an earlier process may have begun. */
  async sweep(): Promise<number> {
    const { tree, clock } = this.#parts;
    let [kept, removed] = [0, 0];
    for (const { name } of await tree.list(UPLOADS)) {
      const found = await tree.stat(`${UPLOADS}/${name}`);
      const [id = ''] = name.split('.');
      if (found === undefined) continue;
      if (this.#busy.has(id) || clock.nowMs() - found.modifiedMs < ABANDONED_MS) {
        kept += 1;
        continue;
      }
      await tree.remove(`${UPLOADS}/${name}`);
      this.#begun.delete(id);
      removed += 1;
    }
    this.#counted(kept - this.#count);
    return removed;
  }

  async #append(place: UploadPlace, { chunks, start, lengthBytes }: Chunks, size: number): Promise<number> {
    const { tree, space, metrics } = this.#parts;
    if (start !== undefined && start !== size) throw wrongStart(start, size);
    await space.require(lengthBytes ?? 0, size);
    const file = await tree.append(pathOf(place));
    const begun = this.#begun.get(place.id);
    let checkedBytes = file.sizeBytes;
    try {
      // A loop that ends early would close the connection before the error is sent.
      const source = chunks[Symbol.asyncIterator]();
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        const chunk = next.value;
        if (lengthBytes !== undefined && file.sizeBytes + chunk.length - size > lengthBytes)
          throw new RegistryError('SIZE_INVALID', `more than the announced ${lengthBytes} bytes arrived`);
        if (file.sizeBytes - checkedBytes >= CHECKED_BYTES) {
          checkedBytes = file.sizeBytes;
          await space.require(0, file.sizeBytes);
        }
        await file.write(chunk);
        metrics.receivedBytes.add({}, chunk.length);
        hashed(begun, chunk, file.sizeBytes);
      }
    } finally {
      await file.close();
    }
    if (lengthBytes !== undefined && file.sizeBytes - size !== lengthBytes)
      throw new RegistryError(
        'SIZE_INVALID',
        `${file.sizeBytes - size} bytes arrived, and ${lengthBytes} were announced`,
      );
    return file.sizeBytes;
  }

  async #hashOf(place: UploadPlace, digest: Digest, size: number): Promise<string> {
    const begun = this.#begun.get(place.id);
    const algorithm = algorithmOf(digest);
    if (algorithm === HASHED && begun?.hashedBytes === size) return begun.hash.copy().digest('hex');
    return this.#parts.tree.hash(pathOf(place), algorithm);
  }

  /** One request at a time may change an upload. */
  async #alone<Value>(place: UploadPlace, act: (size: number) => Promise<Value>): Promise<Value> {
    const size = await this.size(place);
    if (this.#busy.has(place.id))
      throw new RegistryError('BLOB_UPLOAD_INVALID', 'another request is writing to this upload', {
        status: 409,
      });
    this.#busy.add(place.id);
    try {
      return await act(size);
    } finally {
      this.#busy.delete(place.id);
    }
  }

  async #remove(place: UploadPlace): Promise<void> {
    await this.#parts.tree.remove(pathOf(place));
    this.#forget(place);
  }

  #forget({ id }: UploadPlace): void {
    this.#begun.delete(id);
    this.#counted(-1);
  }

  #counted(change: number): void {
    this.#count += change;
    this.#parts.metrics.uploads.set({}, this.#count);
  }
}

/** An upload belongs to the repository that it began in. */
function pathOf({ repository, id }: UploadPlace): string {
  const owner = createHash('sha256').update(repository).digest('hex').slice(0, 32);
  return `${UPLOADS}/${id}.${owner}`;
}

function isId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

function hashed(begun: Begun | undefined, chunk: Uint8Array, sizeBytes: number): void {
  // After a write that failed in its middle, or a restart, the hash is computed from the file.
  if (begun === undefined || begun.hashedBytes !== sizeBytes - chunk.length) return;
  begun.hash.update(chunk);
  begun.hashedBytes = sizeBytes;
}

function wrongStart(start: number, size: number): RegistryError {
  return new RegistryError(
    'BLOB_UPLOAD_INVALID',
    `the chunk begins at byte ${start}, and the next byte is ${size}; read the upload's state and resume there`,
    { status: 416 },
  );
}
