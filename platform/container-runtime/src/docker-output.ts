/** The output of a container without a terminal: Engine API, "Stream format". */
import type { OutputStream } from './container-order.ts';
import { OutputLines } from './output-lines.ts';

const HEADER_BYTES = 8;
const STDERR = 2;

/** Passes on lines as they arrive. Resolves at the end of the stream. */
export async function readDockerOutput(
  chunks: AsyncIterable<Buffer>,
  onLine: (stream: OutputStream, line: string) => void,
): Promise<void> {
  const lines = {
    stdout: new OutputLines((line) => onLine('stdout', line)),
    stderr: new OutputLines((line) => onLine('stderr', line)),
  };
  let header = Buffer.alloc(0);
  let left = 0;
  let stream: OutputStream = 'stdout';
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      if (left > 0) {
        const part = rest.subarray(0, left);
        lines[stream].take(part);
        left -= part.length;
        rest = rest.subarray(part.length);
        continue;
      }
      const missing = HEADER_BYTES - header.length;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.length < HEADER_BYTES) continue;
      stream = header[0] === STDERR ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  }
  lines.stdout.end();
  lines.stderr.end();
}
