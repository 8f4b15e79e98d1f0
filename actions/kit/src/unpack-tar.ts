/**
 * Unpacks a tar archive below a directory, with owners, modes, times, links, devices and extended attributes.
 * Links in the archive or on the disk never lead out of `root`. Nothing else may change the directory meanwhile.
 */
import { messageOf } from '@tinkerbell/platform-contract';
import { readTar, TarError } from '@tinkerbell/tar';

import { ActionError } from './action-error.ts';
import type { ActionContext } from './action.ts';
import { placeEntry, setMetadata, type Target } from './place-entry.ts';
import { assertNotStopped } from './stop-in-time.ts';
import { readTarEntry, type FileEntry } from './tar-entry.ts';

/** A whole distribution has a million files. The directories stay in memory until the end. */
const ENTRIES_MAX = 10_000_000;
const DIRECTORIES_MAX = 1_000_000;

export interface UnpackTotals {
  readonly entries: number;
  /** The content of files, without holes. */
  readonly bytes: number;
}

export interface UnpackRequest extends Target {
  readonly source: AsyncIterable<Buffer>;
}

/** @throws ActionError when the archive is damaged, or has an entry that cannot be restored. */
export async function unpackTar(
  request: UnpackRequest,
  context: Pick<ActionContext, 'signal'>,
): Promise<UnpackTotals> {
  const chunks = request.source[Symbol.asyncIterator]();
  const totals = { entries: 0, bytes: 0 };
  const directories: { readonly path: string; readonly entry: FileEntry }[] = [];
  try {
    for await (const part of readTar({ [Symbol.asyncIterator]: () => chunks })) {
      assertNotStopped(context.signal);
      totals.entries += 1;
      if (totals.entries > ENTRIES_MAX)
        throw new ActionError(`the archive has more than ${ENTRIES_MAX} entries`);
      const entry = readTarEntry(part);
      const { path, bytes } = await placeEntry({ entry, content: part.body, ...request }, context);
      totals.bytes += bytes;
      if (entry.kind === 'directory') directories.push({ path, entry });
      if (directories.length > DIRECTORIES_MAX)
        throw new ActionError(`the archive has more than ${DIRECTORIES_MAX} directories`);
    }
    // Padding follows the archive. A checksum covers it, too.
    while ((await chunks.next()).done !== true) assertNotStopped(context.signal);
  } catch (error) {
    throw explained(error);
  } finally {
    await chunks.return?.();
  }
  // The deepest first: what is placed in a directory changes its times.
  for (const { path, entry } of directories.reverse()) await setMetadata(path, entry);
  return totals;
}

function explained(error: unknown): unknown {
  if (error instanceof TarError)
    return new ActionError(`the archive is damaged, or is not a tar archive: ${error.message}`, {
      cause: error,
    });
  if (error instanceof Error && 'syscall' in error)
    return new ActionError(`cannot unpack: ${messageOf(error)}`, { cause: error });
  return error;
}
