/** `BootOrder` and the names of entries: UEFI 2.10 section 3.3. */

/** The vendor GUID of the variables that UEFI defines. */
export const GLOBAL_VARIABLES = '8be4df61-93ca-11d2-aa0d-00e098032b8c';
const NUMBER_MAX = 0xffff;

/** Returns the numbers of entries, the first one first. An odd last byte is ignored. */
export function decodeBootOrder(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => view.getUint16(index * 2, true));
}

export function encodeBootOrder(order: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(order.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, number] of order.entries()) view.setUint16(index * 2, number, true);
  return bytes;
}

/** `Boot001A` for 26. The digits are upper-case. */
export function bootVariable(number: number): string {
  return `Boot${number.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns the number of an entry's variable, or undefined for the name of another variable. */
export function bootNumber(variable: string): number | undefined {
  const digits = /^Boot([0-9A-F]{4})$/.exec(variable)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** Returns the order with the entry at its start or end, once. All others keep their places. */
export function placeInOrder(
  order: readonly number[],
  number: number,
  place: 'first' | 'last',
): readonly number[] {
  const others = [...new Set(order)].filter((one) => one !== number);
  return place === 'first' ? [number, ...others] : [...others, number];
}

/** Returns the lowest unused number, or undefined when all are used. */
export function freeNumber(used: ReadonlySet<number>): number | undefined {
  for (let number = 0; number <= NUMBER_MAX; number += 1) if (!used.has(number)) return number;
  return undefined;
}
