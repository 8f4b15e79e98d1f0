import { PlatformError, type OwnedDirectory } from '@tinkerbell/platform-contract';

interface Entry {
  readonly sizeBytes: number;
  isWhole: boolean;
  /** Grows with every use. */
  usedAt: number;
}

/** `<url>-<validator>-<size>.iso`, with hashes of the first two. A file is complete when it has the size in its name. */
const NAME = /^([0-9a-f]{32})-[0-9a-f]{32}-(\d{1,15})\.iso$/;

/** Caches whole images in a directory, up to a number of bytes. The least recently used ones are removed first. */
export class IsoCache {
  readonly directory: OwnedDirectory;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  #uses = 0;

  private constructor(directory: OwnedDirectory, bytesMax: number) {
    this.directory = directory;
    this.#bytesMax = bytesMax;
  }

  /** Takes over the files of an earlier run, and removes parts of interrupted downloads. */
  static async open(directory: OwnedDirectory, bytesMax: number): Promise<IsoCache> {
    const cache = new IsoCache(directory, bytesMax);
    const files = (await directory.list()).toSorted((one, other) => one.modifiedMs - other.modifiedMs);
    for (const { name, sizeBytes } of files) {
      const match = NAME.exec(name);
      if (match === null) continue;
      if (sizeBytes === Number(match[2])) cache.#add(name, sizeBytes, true);
      else await directory.remove(name);
    }
    await cache.#shrinkTo(bytesMax);
    return cache;
  }

  static nameOf(key: {
    readonly url: string;
    readonly validator: string;
    readonly sizeBytes: number;
  }): string {
    return `${key.url}-${key.validator}-${key.sizeBytes}.iso`;
  }

  hasWhole(name: string): boolean {
    return this.#entries.get(name)?.isWhole === true;
  }

  /** Returns the most recently used complete image of a URL (given by its hash). */
  find(url: string): { readonly name: string; readonly sizeBytes: number } | undefined {
    return [...this.#entries]
      .filter(([name, { isWhole }]) => isWhole && name.startsWith(`${url}-`))
      .toSorted(([, one], [, other]) => other.usedAt - one.usedAt)
      .map(([name, { sizeBytes }]) => ({ name, sizeBytes }))[0];
  }

  /** Makes room for an image before its download. Rejects with a PlatformError when there is not enough. */
  async reserve(name: string, sizeBytes: number): Promise<void> {
    const coming = [...this.#entries.values()].filter(({ isWhole }) => !isWhole);
    const taken = coming.reduce((sum, each) => sum + each.sizeBytes, 0);
    if (taken + sizeBytes > this.#bytesMax) {
      const wait = taken === 0 ? '' : ` of which running downloads take ${taken}`;
      throw new PlatformError(
        'too-large',
        `the image has ${sizeBytes} bytes and the cache room for ${this.#bytesMax}${wait}; raise --iso-cache-size`,
      );
    }
    this.#entries.delete(name);
    await this.#shrinkTo(this.#bytesMax - sizeBytes);
    this.#add(name, sizeBytes, false);
  }

  /** The image is complete, so older ones of the same URL are removed. */
  async keep(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.isWhole = true;
    const url = name.split('-')[0] ?? '';
    const older = [...this.#entries].filter(
      ([other, { isWhole }]) => isWhole && other !== name && other.startsWith(`${url}-`),
    );
    for (const [other] of older) await this.remove(other);
  }

  async use(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#uses += 1;
    entry.usedAt = this.#uses;
    if (entry.isWhole) await this.directory.touch(name).catch(() => undefined);
  }

  async remove(name: string): Promise<void> {
    this.#entries.delete(name);
    await this.directory.remove(name);
  }

  #add(name: string, sizeBytes: number, isWhole: boolean): void {
    this.#uses += 1;
    this.#entries.set(name, { sizeBytes, isWhole, usedAt: this.#uses });
  }

  async #shrinkTo(bytes: number): Promise<void> {
    let total = [...this.#entries.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const oldest = [...this.#entries]
      .filter(([, { isWhole }]) => isWhole)
      .toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
    for (const [name, { sizeBytes }] of oldest) {
      if (total <= bytes) return;
      await this.remove(name);
      total -= sizeBytes;
    }
  }
}
