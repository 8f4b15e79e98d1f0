/** Returns the first chunk, and a source that still begins with it. */
export async function peekStart(
  chunks: AsyncGenerator<Buffer, void>,
): Promise<{ readonly start: Buffer; readonly source: AsyncGenerator<Buffer, void> }> {
  const first = await chunks.next();
  const start = first.done === true ? Buffer.alloc(0) : first.value;
  async function* source(): AsyncGenerator<Buffer, void> {
    if (start.length > 0) yield start;
    yield* chunks;
  }
  return { start, source: source() };
}
