/** Yields the items of all streams as they arrive. Ends when all have ended. If one fails, ends all and fails. */
export async function* merged<Item>(
  streams: readonly AsyncGenerator<Item, void, undefined>[],
): AsyncGenerator<Item, void, undefined> {
  const waiting = new Map(streams.map((stream) => [stream, next(stream)]));
  try {
    while (waiting.size > 0) {
      const { stream, result } = await Promise.race(waiting.values());
      if (result.done) {
        waiting.delete(stream);
        continue;
      }
      waiting.set(stream, next(stream));
      yield result.value;
    }
  } finally {
    for (const stream of waiting.keys()) void stream.return();
  }
}

async function next<Item>(stream: AsyncGenerator<Item, void, undefined>) {
  return { stream, result: await stream.next() };
}
