/** A directory of flat files that this process alone writes, such as a cache. Made, with its parents, when it is opened. */
export interface OwnedDirectory {
  /** Absolute; `Files` reads what is in it. */
  readonly path: string;
  list(): Promise<readonly OwnedFile[]>;
  /** An empty file in place of whatever had the name. */
  create(name: string): Promise<OwnedFileWriter>;
  /** Sets the modification time to now. */
  touch(name: string): Promise<void>;
  /** Whoever reads the file may read it to its end. No error when it is not there. */
  remove(name: string): Promise<void>;
}

export interface OwnedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Rejects with a PlatformError when the disk is full or broken. */
export interface OwnedFileWriter {
  /** Appends. Readers see the bytes once this resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the disk has everything. */
  close(): Promise<void>;
}

export type OpenOwnedDirectory = (path: string) => Promise<OwnedDirectory>;
