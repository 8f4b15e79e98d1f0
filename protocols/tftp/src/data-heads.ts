const DATA_OPCODE = 3;

/**
 * The header before the bytes of a block in a DATA packet: the opcode and the block's number, 16 bits each (RFC 1350 section 5).
 */
export const DATA_HEAD_BYTES = 4;

/**
 * Returns the headers of `count` consecutive DATA packets. Block numbers start at `block`, and only their low 16 bits are sent.
 */
export function writeDataHeads(target: Uint8Array, { block, count }: { block: number; count: number }): void {
  for (let index = 0; index < count; index += 1) {
    const at = index * DATA_HEAD_BYTES;
    target[at] = 0;
    target[at + 1] = DATA_OPCODE;
    target[at + 2] = ((block + index) >> 8) & 0xff;
    target[at + 3] = (block + index) & 0xff;
  }
}
