/** Stores a disk image in the registry of a server. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ServerChild } from '../start-server.ts';

const ADD_MS_MAX = 120_000;
const TINK_MAIN = join(import.meta.dirname, '../../../apps/tink/src/main.mjs');

export interface AddedImage {
  /** Of its manifest. */
  readonly path: string;
  /** Of its chunks, packed. */
  readonly bytes: number;
}

export function addImage({ url, dataDirectory }: ServerChild, raw: string): AddedImage {
  const words = [TINK_MAIN, 'image', 'add', raw, 'disks/breaks:v1', '--json'];
  const env = { ...process.env, TINK_SERVER: url, TINKERBELL_DATA_DIR: dataDirectory };
  const output = execFileSync(process.execPath, words, {
    encoding: 'utf8',
    env,
    timeout: ADD_MS_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const report: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  if (report === null || typeof report !== 'object' || !('path' in report) || !('usedBytes' in report))
    throw new Error(`tink image add: ${output}`);
  return { path: String(report.path), bytes: Number(report.usedBytes) };
}
