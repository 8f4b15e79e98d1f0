/** `tink image add`, for tests and benchmarks, which run it each in their own way. */
import { fileURLToPath } from 'node:url';

const TINK_MAIN = fileURLToPath(new URL('../../apps/tink/src/main.mjs', import.meta.url));

export interface AddedImage {
  /** Of its manifest. */
  readonly path: string;
  readonly chunks: number;
  /** Of its chunks, packed. */
  readonly usedBytes: number;
}

/** The command line. `name`: `disks/debian:v1`. */
export function addImageCommand(raw: string, name: string): readonly [string, ...string[]] {
  return [process.execPath, TINK_MAIN, 'image', 'add', raw, name, '--json'];
}

/** Reads its output. Throws an Error with the output when it is another one. */
export function readAddedImage(output: string): AddedImage {
  const report: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  const fields: Readonly<Record<string, unknown>> =
    typeof report === 'object' && report !== null ? { ...report } : {};
  const { path, chunks, usedBytes } = fields;
  if (typeof path === 'string' && typeof chunks === 'number' && typeof usedBytes === 'number')
    return { path, chunks, usedBytes };
  throw new Error(`tink image add: ${output}`);
}
