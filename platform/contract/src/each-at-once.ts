/** Acts on every item, on at most `atOnce` of them at a time, in their order. Rejects with the first failure. */
export async function eachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator for all workers, so that each item is taken once.
  const queue = Iterator.from(items);
  const worker = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
