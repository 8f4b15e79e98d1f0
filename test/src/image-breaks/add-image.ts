/** Stores a disk image in the registry of a server. */
import { execFileSync } from 'node:child_process';
import { addImageCommand, readAddedImage } from '@tinkerbell/sandbox/added-image';
import type { ServerChild } from '../start-server.ts';

const ADD_MS_MAX = 120_000;

export interface AddedImage {
  /** Of its manifest. */
  readonly path: string;
  /** Of its chunks, packed. */
  readonly bytes: number;
}

export function addImage({ url, dataDirectory }: ServerChild, raw: string): AddedImage {
  const [program, ...words] = addImageCommand(raw, 'disks/breaks:v1');
  const output = execFileSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, TINK_SERVER: url, TINKERBELL_DATA_DIR: dataDirectory },
    timeout: ADD_MS_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { path, usedBytes } = readAddedImage(output);
  return { path, bytes: usedBytes };
}
