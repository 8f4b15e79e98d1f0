/** Disk images in the registry of a server. */
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './benchmark.ts';
import { sha256Of } from './loop-disk.ts';
import type { NetworkNamespace } from './network-namespace.ts';
import { mustRun } from './running-program.ts';

const TINK_MAIN = fileURLToPath(new URL('../../apps/tink/src/main.mjs', import.meta.url));

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
  const words = [TINK_MAIN, 'image', 'add', raw, `disks/bench:${tag}`, '--json'] as const;
  const command = [process.execPath, ...words] as const;
  const { output, seconds } = await mustRun(context, { command, environment, network });
  const added: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  context.say(`added ${tag} in ${seconds.toFixed(1)} s`);
  const fields: Readonly<Record<string, unknown>> =
    typeof added === 'object' && added !== null ? { ...added } : {};
  const { path, chunks, usedBytes } = fields;
  const sha256 = await sha256Of(raw);
  return { url: `${url}${String(path)}`, sha256, chunks: Number(chunks), usedBytes: Number(usedBytes) };
}
