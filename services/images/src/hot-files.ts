import { SharedCalls, type Clock, type FileInfo, type Files } from '@tinkerbell/platform-contract';

/** Larger files are few, and the kernel sends them from its own cache. */
const FILE_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** A change on disk is noticed after this time. */
const CHECK_INTERVAL_MS = 1_000;
/** The memory of an entry besides its bytes. */
const ENTRY_BYTES = 1024;

/** A file, and its bytes when it is small. */
export interface SeenFile {
  readonly info: FileInfo;
  readonly content?: Uint8Array<ArrayBuffer>;
}

interface Kept {
  readonly seen: Required<SeenFile>;
  checkedMs: number;
}

/**
 * Caches recently requested small files in memory, because checking a file costs more than sending a small one. The entry whose
 * check is oldest is evicted first.
 */
export class HotFiles {
  readonly #files: Pick<Files, 'stat' | 'readRange'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #root: string;
  readonly #kept = new Map<string, Kept>();
  /** One check of a file answers all requests that arrive meanwhile. */
  readonly #looks = new SharedCalls<SeenFile | undefined>();
  #keptBytes = 0;

  constructor(
    root: string,
    {
      files,
      clock,
    }: { readonly files: Pick<Files, 'stat' | 'readRange'>; readonly clock: Pick<Clock, 'monotonicMs'> },
  ) {
    this.#root = root;
    this.#files = files;
    this.#clock = clock;
  }

  /** Returns undefined when the file does not exist. Rejects as `Files.stat` does. */
  see(path: string): SeenFile | undefined | Promise<SeenFile | undefined> {
    const kept = this.#kept.get(path);
    if (kept !== undefined && this.#clock.monotonicMs() - kept.checkedMs < CHECK_INTERVAL_MS)
      return kept.seen;
    return this.#looks.join(path, () => this.#look(path, kept));
  }

  async #look(path: string, kept: Kept | undefined): Promise<SeenFile | undefined> {
    const checkedMs = this.#clock.monotonicMs();
    const info = await this.#files.stat(this.#root, path);
    if (kept !== undefined) this.#forget(path, kept);
    if (info === undefined || !info.isFile || info.sizeBytes === 0 || info.sizeBytes > FILE_BYTES_MAX)
      return info && { info };
    if (kept !== undefined && isSame(kept.seen.info, info)) {
      this.#keep(path, { seen: kept.seen, checkedMs });
      return kept.seen;
    }
    const read = await this.#files.readRange(this.#root, path, { start: 0, end: info.sizeBytes - 1 });
    // The file is being written.
    if (read === undefined || read.bytes.length !== read.info.sizeBytes) return read && { info: read.info };
    const seen = { info: read.info, content: read.bytes };
    this.#keep(path, { seen, checkedMs });
    return seen;
  }

  #keep(path: string, kept: Kept): void {
    this.#kept.set(path, kept);
    this.#keptBytes += sizeOf(kept);
    for (const [oldest, one] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES_MAX) return;
      this.#forget(oldest, one);
    }
  }

  #forget(path: string, kept: Kept): void {
    if (this.#kept.delete(path)) this.#keptBytes -= sizeOf(kept);
  }
}

function sizeOf({ seen }: Kept): number {
  return seen.content.length + ENTRY_BYTES;
}

function isSame(one: FileInfo, other: FileInfo): boolean {
  return (
    one.realPath === other.realPath &&
    one.sizeBytes === other.sizeBytes &&
    one.modifiedMs === other.modifiedMs
  );
}
