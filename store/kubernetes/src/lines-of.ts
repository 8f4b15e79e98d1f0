/** Splits bytes into lines of text, one at a time. */

/** The size of one event of a watch: etcd accepts 1.5 MB for an object, and JSON may write a byte as six. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const NEWLINE = 10;

/** Without their newlines. What follows the last newline is not a line. Rejects as `source` does, and at a line that is too long. */
export async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, to)]).toString('utf8');
      from = to + 1;
      parts = [];
      size = 0;
      if (line.trim() !== '') yield line;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > LINE_BYTES_MAX) throw new Error(`a line has more than ${LINE_BYTES_MAX} bytes`);
  }
}
