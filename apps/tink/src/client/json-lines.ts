/** Characters of one line; an object of the API is at most 3 MiB. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Each line of `chunks` as JSON. Throws on a line that is no JSON or too long; an unfinished last line is left out. */
export async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LIMIT) throw new Error(`a line is longer than ${LINE_LIMIT} characters`);
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
}
