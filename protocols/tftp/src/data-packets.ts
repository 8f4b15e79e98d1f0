const HEADER_BYTES = 4;
const DATA_OPCODE = 3;

/** A run of DATA packets, as a transfer's step names it. */
export interface DataRun {
  /** Number of the first block on the wire, 16 bits. */
  readonly block: number;
  /** How many blocks; each is full but the file's last. */
  readonly count: number;
  readonly blockSizeBytes: number;
}

/** How much `writeDataPackets` writes for `length` bytes of file. */
export function dataPacketsLength({ count }: Pick<DataRun, 'count'>, length: number): number {
  return length + count * HEADER_BYTES;
}

/** Bytes from the start of one packet to the start of the next. */
export function dataPacketStride({ blockSizeBytes }: Pick<DataRun, 'blockSizeBytes'>): number {
  return blockSizeBytes + HEADER_BYTES;
}

/**
 * Writes the packets of a run one after another into `target`, so that one system call can send them all. Every byte up to
 * the returned length is written: memory that is used again shows nothing of what was there before.
 */
export function writeDataPackets(target: Uint8Array, run: DataRun, fileBytes: Uint8Array): number {
  let at = 0;
  for (let index = 0; index < run.count; index += 1) {
    const block = run.block + index;
    target[at] = 0;
    target[at + 1] = DATA_OPCODE;
    target[at + 2] = (block >> 8) & 0xff;
    target[at + 3] = block & 0xff;
    const start = index * run.blockSizeBytes;
    // A view of its own costs more than to copy a block.
    const slice = run.count === 1 ? fileBytes : fileBytes.subarray(start, start + run.blockSizeBytes);
    target.set(slice, at + HEADER_BYTES);
    at += HEADER_BYTES + slice.length;
  }
  return at;
}
