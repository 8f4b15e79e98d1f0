/** Disk images in the registry of a server. */
import { addImageCommand, readAddedImage } from '@tinkerbell/sandbox/added-image';
import type { BenchContext } from './benchmark.ts';
import { sha256Of } from './loop-disk.ts';
import type { NetworkNamespace } from './network-namespace.ts';
import { mustRun } from './running-program.ts';

export interface StoredImage {
  readonly url: string;
  /** The SHA-256 of its disk. */
  readonly sha256: string;
  readonly chunks: number;
  /** Of its chunks, packed. */
  readonly usedBytes: number;
}

interface AddOrder {
  readonly raw: string;
  readonly tag: string;
  /** Of the server. */
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly network?: NetworkNamespace;
}

export async function addImage(
  context: BenchContext,
  { raw, tag, url, environment, network }: AddOrder,
): Promise<StoredImage> {
  const command = addImageCommand(raw, `disks/bench:${tag}`);
  const { output, seconds } = await mustRun(context, { command, environment, network });
  context.say(`added ${tag} in ${seconds.toFixed(1)} s`);
  const { path, chunks, usedBytes } = readAddedImage(output);
  return { url: `${url}${path}`, sha256: await sha256Of(raw), chunks, usedBytes };
}
