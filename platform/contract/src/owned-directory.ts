/**
 * A directory of flat files that only this process writes, such as a cache. It is created, with its parents, when it is opened.
 */
export interface OwnedDirectory {
  /** The absolute path. `Files` reads the files in it. */
  readonly path: string;
  list(): Promise<readonly OwnedFile[]>;
  /** Creates an empty file, and replaces any file of that name. */
  create(name: string): Promise<OwnedFileWriter>;
  /** Sets the modification time to now. */
  touch(name: string): Promise<void>;
  /** Removes the file. A reader that has it open can read it to its end. A missing file is not an error. */
  remove(name: string): Promise<void>;
}

export interface OwnedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Rejects with a PlatformError when the disk is full or broken. */
export interface OwnedFileWriter {
  /** Appends to the file. Readers see the bytes after the promise resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything is on disk. */
  close(): Promise<void>;
}

export type OpenOwnedDirectory = (path: string) => Promise<OwnedDirectory>;
