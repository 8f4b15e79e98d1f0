/** A file on its way to a machine: in memory, or read as it is asked for. */
export interface BootFile {
  readonly sizeBytes: number;
  /** All of it, where it is in memory. Not to be written to. */
  readonly whole?: Uint8Array;
  /**
   * `length` bytes from `offset`, at once where they are in memory. Not to be written to. Rejects when the file has changed
   * since it was found, or can no longer be read.
   */
  slice(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

export interface BootFileRequest {
  /** As the client sent it. */
  readonly fileName: string;
  /** The client's own address; the Hardware that has it is the machine that asks. */
  readonly clientAddress: string;
}

/** `refused`: the source has this file, but a value in the Hardware is not safe to write; the message names the field. */
export type BootFileAnswer =
  | { readonly kind: 'file'; readonly file: BootFile }
  | { readonly kind: 'refused'; readonly message: string };

/** One place where files come from. Undefined declines: the next one is asked. */
export interface BootFileSource {
  /** In words for the timeline, such as `asset directory`. */
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
