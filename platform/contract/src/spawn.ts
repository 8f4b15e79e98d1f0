export interface SpawnOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** Kills the child's whole process group when the signal aborts. */
  readonly signal?: AbortSignal;
}

export interface SpawnedProcess {
  readonly pid: number;
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when the process has ended and its output was read. */
  readonly exited: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>;
}

export interface Spawn {
  /** Starts a program without a shell. Rejects with PlatformError `not-found` when the program does not exist. */
  start(options: SpawnOptions): Promise<SpawnedProcess>;
}
