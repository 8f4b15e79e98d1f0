export interface FileInfo {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** The path below the root with every symbolic link resolved. Access is decided by the file that is read, not by its name. */
  readonly realPath: string;
}

/** Receives the progress of a file stream. */
export interface StreamProgress {
  /** Called when this many more bytes were passed on. */
  moved(bytes: number): void;
  /** Called once: when all bytes were passed on, when reading failed, or when the reader cancelled. */
  ended(): void;
}

/** Read access to files below fixed roots. Paths are absolute and already checked by the caller. */
export interface Files {
  /**
   * Returns undefined when the file does not exist. Follows no symbolic link out of `root`. @throws PlatformError `unavailable`
   * when the file system cannot answer.
   */
  stat(root: string, relativePath: string): Promise<FileInfo | undefined>;
  /** Returns the whole file, at most `limitBytes`. Returns undefined when it is absent, and an error when it is larger. */
  read(root: string, relativePath: string, limitBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Returns bytes [start, end] inclusive, or fewer when the file ends earlier, with the `stat` of the file they come from.
   * Returns undefined when the file does not exist.
   */
  readRange(
    root: string,
    relativePath: string,
    range: { start: number; end: number },
  ): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly info: FileInfo } | undefined>;
  /**
   * Streams bytes [start, end] inclusive, in chunks of about 1 MiB. As a response body, the stream is sent in the fastest
   * available way. The path is the `realPath` of `stat`: the stream fails when a symbolic link has replaced the file or a folder
   * above it. `progress` receives how many bytes have moved.
   */
  stream(
    root: string,
    realPath: string,
    part: { start: number; end: number; progress?: StreamProgress },
  ): ReadableStream<Uint8Array>;
  /** Returns the names in a directory, and an empty list when the directory does not exist. */
  names(root: string, relativePath: string): Promise<readonly string[]>;
}
