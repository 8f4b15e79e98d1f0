export interface FileInfo {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** Its path below the root with every symbolic link resolved, so that access can be decided by what is read and not by its name. */
  readonly realPath: string;
}

/** Hears how far a stream of a file has come. */
export interface StreamProgress {
  /** So many bytes more have been handed on. */
  moved(bytes: number): void;
  /** Once: all has been handed on, or reading failed, or nobody wants the rest. */
  ended(): void;
}

/** Read access to files below fixed roots. Paths are absolute and already checked by the caller. */
export interface Files {
  /** Undefined when there is no such file. Follows no symbolic link out of `root`. @throws PlatformError `unavailable` when that cannot be found out. */
  stat(root: string, relativePath: string): Promise<FileInfo | undefined>;
  /** The whole file, at most `limitBytes`; undefined when absent, an error when larger. */
  read(root: string, relativePath: string, limitBytes: number): Promise<Uint8Array | undefined>;
  /**
   * Bytes [start, end] inclusive, fewer where the file ends before, with what `stat` says of the file they are from; undefined
   * when there is no such file.
   */
  readRange(
    root: string,
    relativePath: string,
    range: { start: number; end: number },
  ): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly info: FileInfo } | undefined>;
  /**
   * Bytes [start, end] inclusive, in chunks of about 1 MiB. As the body of an answer it is sent the fastest way there is. The path is
   * the `realPath` of `stat`: the stream fails when a symbolic link has taken the place of the file or of a folder above it.
   */
  stream(
    root: string,
    realPath: string,
    range: { start: number; end: number },
    progress?: StreamProgress,
  ): ReadableStream<Uint8Array>;
  /** Names in a directory; empty when it does not exist. */
  names(root: string, relativePath: string): Promise<readonly string[]>;
}
