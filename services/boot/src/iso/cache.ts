import { PlatformError, type OwnedDirectory } from '@tinkerbell/platform-contract';

interface Entry {
  readonly sizeBytes: number;
  isWhole: boolean;
  /** Grows with every use. */
  usedAt: number;
}

/** `<url>-<validator>-<size>.iso`, hashes of the first two: a file is whole when it has the size its name says. */
const NAME = /^([0-9a-f]{32})-[0-9a-f]{32}-(\d{1,15})\.iso$/;

/** Whole images in a directory up to a number of bytes; the least recently used go first. */
export class IsoCache {
  readonly directory: OwnedDirectory;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  #uses = 0;

  private constructor(directory: OwnedDirectory, bytesMax: number) {
    this.directory = directory;
    this.#bytesMax = bytesMax;
  }

  /** Takes over what an earlier run left; parts of downloads that broke off are removed. */
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

  /** The whole image of a URL (by its hash) that was used last. */
  find(url: string): { readonly name: string; readonly sizeBytes: number } | undefined {
    return [...this.#entries]
      .filter(([name, { isWhole }]) => isWhole && name.startsWith(`${url}-`))
      .toSorted(([, one], [, other]) => other.usedAt - one.usedAt)
      .map(([name, { sizeBytes }]) => ({ name, sizeBytes }))[0];
  }

  /** Makes room for an image that is about to come. Rejects with a PlatformError when there cannot be enough. */
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

  /** The image has come whole: older ones of the same URL go. */
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
