import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a file atomically. A reader, such as a server that machines boot from, gets all of the old one or
 * all of the new one.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const partial = `${path}.${process.pid}`;
  try {
    await writeFile(partial, bytes);
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}
