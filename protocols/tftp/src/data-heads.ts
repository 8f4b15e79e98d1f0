const DATA_OPCODE = 3;

/** What comes before the bytes of a block in a DATA packet: the opcode and the block's number, 16 bits each (RFC 1350 section 5). */
export const DATA_HEAD_BYTES = 4;

/** The heads of `count` DATA packets one after another. Blocks are counted on from `block`, of which the low 16 bits travel. */
export function writeDataHeads(target: Uint8Array, { block, count }: { block: number; count: number }): void {
  for (let index = 0; index < count; index += 1) {
    const at = index * DATA_HEAD_BYTES;
    target[at] = 0;
    target[at + 1] = DATA_OPCODE;
    target[at + 2] = ((block + index) >> 8) & 0xff;
    target[at + 3] = (block + index) & 0xff;
  }
}
