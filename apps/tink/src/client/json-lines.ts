/** Length limit of one line, characters; an object of the API is at most 2 MiB. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Parses each line of `chunks` as JSON. Throws on a line that is invalid or too long. Ignores an unfinished last line. */
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
