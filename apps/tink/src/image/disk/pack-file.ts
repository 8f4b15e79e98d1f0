/** A pack that is being filled, in a temporary file, because a pack may be larger than memory. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { readDigest } from '@tinkerbell/oci';
import type { SourceBlob } from '../image-source.ts';

export class PackFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #sizeBytes = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<PackFile> {
    return new PackFile(path, await open(path, 'wx'));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Returns where the bytes begin. */
  async append(bytes: Uint8Array): Promise<number> {
    const offset = this.#sizeBytes;
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes);
    this.#sizeBytes += bytes.length;
    return offset;
  }

  async complete(): Promise<SourceBlob> {
    await this.#file.close();
    const digest = readDigest(`sha256:${this.#hash.digest('hex')}`);
    const chunks = () => createReadStream(this.#path, { highWaterMark: 1024 * 1024 });
    return { digest, sizeBytes: this.#sizeBytes, chunks };
  }

  remove(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}
