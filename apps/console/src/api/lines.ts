/** Reads a stream of JSON lines, as watches and journals are. */

/** Yields the values of each chunk together. The last line may be incomplete when the connection breaks, and is dropped. */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      const values = lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
      if (values.length > 0) yield values;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
