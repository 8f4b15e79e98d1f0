/**
 * A tree of files that only this process writes. Paths are relative and separated by slashes. Each element has letters, digits and
 * `._+-`, and does not begin with a dot: any other path is a bug of the caller, and throws.
 *
 * Calls reject with a PlatformError: `unavailable` when the disk is broken, `disk-full` when it is full.
 */
export interface OwnedTree {
  /** The absolute path. `Files` reads the files in it. */
  readonly path: string;
  /** Returns the entries of a folder in the order of their bytes. Returns an empty list when the folder does not exist. */
  list(folder: string): Promise<readonly OwnedEntry[]>;
  stat(path: string): Promise<{ readonly sizeBytes: number; readonly modifiedMs: number } | undefined>;
  /** Returns a whole small file, and undefined when it does not exist. */
  read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Replaces the file in one step. Resolves when its bytes and its name are on disk. Creates the folders above it. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Opens a file to append to it, and creates it when it does not exist. */
  append(path: string): Promise<OwnedAppender>;
  /** Returns the hash of a file in hexadecimal. */
  hash(path: string, algorithm: HashAlgorithm): Promise<string>;
  /** Resolves when the file has its new name on disk. Replaces a file of that name. Creates the folders above it. */
  move(from: string, to: string): Promise<void>;
  /** Sets the modification time to now. A missing file is not an error. */
  touch(path: string): Promise<void>;
  /** Removes a file. A reader that has it open can read it to its end. A missing file is not an error. */
  remove(path: string): Promise<void>;
  /** The bytes that may still be written to the file system. */
  freeBytes(): Promise<number>;
}

export interface OwnedEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export type HashAlgorithm = 'sha256' | 'sha512';

export interface OwnedAppender {
  /** The length of the file, with what was written. */
  readonly sizeBytes: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything is on disk. */
  close(): Promise<void>;
}

export type OpenOwnedTree = (path: string) => Promise<OwnedTree>;
