/** The files of the in-memory OS and of images, as a fault wants them. */
import { cp, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeCpio } from '@tinkerbell/hook';
import type { Fault, FaultPlace } from './fault.ts';

const INITRAMFS = 'initramfs-x86_64';

/** Returns the folder of the in-memory OS, a copy if one of its files is cut or it gets another file. */
export async function systemFor(
  { fault: { cutTo = {} }, files, directory }: Pick<FaultPlace, 'fault' | 'files' | 'directory'>,
  added: { readonly from: string; readonly to: string } | undefined,
): Promise<string> {
  if (Object.keys(cutTo).length === 0 && added === undefined) return files.hookDirectory;
  const copy = join(directory, 'hook');
  await rm(copy, { recursive: true, force: true });
  await cp(files.hookDirectory, copy, { recursive: true });
  for (const [name, bytes] of Object.entries(cutTo)) await truncate(join(copy, name), bytes);
  if (added !== undefined) await addFile(join(copy, INITRAMFS), added);
  return copy;
}

/** The kernel unpacks several archives one after another. The first one needs no compression. */
async function addFile(initramfs: string, { from, to }: { readonly from: string; readonly to: string }) {
  const content = await readFile(from);
  const file = { kind: 'file', path: to.slice(1), mode: 0o644, content } as const;
  const before = encodeCpio([file], 0);
  const padding = new Uint8Array(-before.length & 511);
  await writeFile(initramfs, Buffer.concat([before, padding, await readFile(initramfs)]));
}

export async function writeImages({ images = {} }: Fault, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, bytes] of Object.entries(images)) {
    await writeFile(join(directory, name), '');
    await truncate(join(directory, name), bytes);
  }
}
