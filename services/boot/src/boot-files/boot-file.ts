/** A file for a machine: in memory, or read on demand. */
export interface BootFile {
  readonly sizeBytes: number;
  /** The whole file, if it is in memory. Do not write to it. */
  readonly whole?: Uint8Array;
  /**
   * Returns `length` bytes from `offset`, at once if they are in memory. Do not write to them. Rejects when the file has changed
   * since it was found, or can no longer be read.
   */
  slice(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

export interface BootFileRequest {
  /** The name as the client sent it. */
  readonly fileName: string;
  /** The client's own address. The machine is the one whose Hardware has this address. */
  readonly clientAddress: string;
}

/** `refused`: the source has this file, but a value in the Hardware is not safe to write. The message names the field. */
export type BootFileAnswer =
  | { readonly kind: 'file'; readonly file: BootFile }
  | { readonly kind: 'refused'; readonly message: string };

/** One source of files. Undefined declines, and the next source is asked. */
export interface BootFileSource {
  /** The source's name in the timeline, such as `asset directory`. */
  readonly name: string;
  find(request: BootFileRequest): Promise<BootFileAnswer | undefined> | BootFileAnswer | undefined;
}

export function fileOfBytes(bytes: Uint8Array): BootFile {
  const slice = (offset: number, length: number) => bytes.subarray(offset, offset + length);
  return { sizeBytes: bytes.length, whole: bytes, slice };
}

export function answerOf(file: BootFile | undefined): BootFileAnswer | undefined {
  return file === undefined ? undefined : { kind: 'file', file };
}
