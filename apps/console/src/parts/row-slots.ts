/** Which element of a long table shows which row. Pure. */

export interface RowSlots {
  /** The key of the element of each row. */
  readonly keys: ReadonlyMap<string, number>;
  /** The next key that no element has. */
  readonly next: number;
  /** How often all elements have got other rows at once. */
  readonly jumps: number;
}

export const noSlots: RowSlots = { keys: new Map(), next: 0, jumps: 0 };

/**
 * Rows that stay in view keep their element, with its focus. When none stays, the new rows get the elements of the old ones:
 * other texts cost a third of other elements.
 */
export function nextSlots(before: RowSlots, ids: readonly string[]): RowSlots {
  const isJump = before.keys.size > 0 && !ids.some((id) => before.keys.has(id));
  const free = isJump ? [...before.keys.values()] : [];
  let { next } = before;
  const keys = new Map(ids.map((id, at) => [id, before.keys.get(id) ?? free[at] ?? next++] as const));
  return { keys, next, jumps: before.jumps + (isJump ? 1 : 0) };
}
