/**
 * Unpacks a tar archive below a directory, with owners, modes, times, links, devices and extended attributes.
 * Links in the archive or on the disk never lead out of `root`. Nothing else may change the directory meanwhile.
 */
import { pipeline } from 'node:stream/promises';

import { extract } from 'tar-stream';

import { ActionError } from './action-error.ts';
import type { ActionContext } from './action.ts';
import { placeEntry, setMetadata, type Target } from './place-entry.ts';
import { assertNotStopped } from './stop-in-time.ts';
import { readTarEntry, type TarEntry } from './tar-entry.ts';

/** A whole distribution has a million files. The directories stay in memory until the end. */
const ENTRIES_MAX = 10_000_000;
const DIRECTORIES_MAX = 1_000_000;

export interface UnpackTotals {
  readonly entries: number;
  /** The content of files. */
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
  const archive = extract();
  let failure: unknown;
  const fed = pipeline(copies(request.source), archive).catch((error: unknown) => {
    failure = error;
  });
  const totals = { entries: 0, bytes: 0 };
  const directories: { readonly path: string; readonly entry: TarEntry }[] = [];
  try {
    for await (const part of archive) {
      assertNotStopped(context.signal);
      totals.entries += 1;
      if (totals.entries > ENTRIES_MAX)
        throw new ActionError(`the archive has more than ${ENTRIES_MAX} entries`);
      const entry = readTarEntry(part.header);
      const { path, bytes } = await placeEntry({ entry, content: part, ...request }, context);
      totals.bytes += bytes;
      if (entry.kind === 'directory') directories.push({ path, entry });
      if (directories.length > DIRECTORIES_MAX)
        throw new ActionError(`the archive has more than ${DIRECTORIES_MAX} directories`);
      // An unread rest would block the next entry.
      part.resume();
    }
  } catch (error) {
    archive.destroy();
    await fed;
    throw explained(isOwn(error) ? error : (failure ?? error));
  }
  await fed;
  if (failure !== undefined) throw explained(failure);
  // The deepest first: what is placed in a directory changes its times.
  for (const { path, entry } of directories.reverse()) await setMetadata(path, entry);
  return totals;
}

/** The decoder reuses its memory, and tar-stream keeps what it gets. */
async function* copies(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of source) yield Buffer.from(chunk);
}

/** Errors of the file system have a code, and those of tar-stream have not. */
function isOwn(error: unknown): boolean {
  return error instanceof ActionError || (error instanceof Error && 'syscall' in error);
}

function explained(error: unknown): unknown {
  if (error instanceof ActionError || !(error instanceof Error)) return error;
  if ('syscall' in error) return new ActionError(`cannot unpack: ${error.message}`, { cause: error });
  return new ActionError(`the archive is damaged, or is not a tar archive: ${error.message}`, {
    cause: error,
  });
}
