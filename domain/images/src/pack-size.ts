const MEBIBYTE = 1024 * 1024;
const FIRST_BYTES = 32 * MEBIBYTE;
const LAST_BYTES = 4096 * MEBIBYTE;
/** So many packs have the same size. */
const STEP = 128;

/**
 * Returns the size at which a new pack is full. Small packs make an interrupted `add` lose little. They double after every 128
 * packs, so that 1,024 of them hold 1,020 GiB.
 */
export function packBytesFor(packNumber: number): number {
  return Math.min(FIRST_BYTES * 2 ** Math.floor(packNumber / STEP), LAST_BYTES);
}
