/**
 * `npm run setup -- ipxe`, and the first `npm start`: fetches Debian's current iPXE binaries into out/ipxe,
 * where the server finds them. apt checks their signatures. Nothing is installed and root is not needed.
 * Without a network the server starts nevertheless, with the binaries in /usr/lib/ipxe.
 */
import { cp, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { withCacheLock } from './cache-lock.ts';
import { fetchIpxeBinaries } from './ipxe-binaries.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const target = `${REPOSITORY}out/ipxe`;
/** The longest time for which a mirror that does not answer delays the start of the server. */
const LIMIT_MS = 120_000;

const limit = setTimeout(() => giveUp(`no answer within ${LIMIT_MS / 1000} s`), LIMIT_MS);
try {
  const { directory, warning } = await withCacheLock(`${REPOSITORY}.cache`, () =>
    fetchIpxeBinaries(`${REPOSITORY}.cache`),
  );
  if (warning !== undefined) process.stderr.write(`setup: ${warning}; an older iPXE is used\n`);
  const partial = `${target}.${process.pid}`;
  await cp(directory, partial, { recursive: true, verbatimSymlinks: true });
  await rm(target, { recursive: true, force: true });
  await rename(partial, target);
  clearTimeout(limit);
} catch (error) {
  giveUp(error instanceof Error ? error.message : String(error));
}

function giveUp(reason: string): never {
  process.stderr.write(
    `setup: iPXE binaries could not be fetched: ${reason}\n` +
      'setup: machines that need one get none; repeat with npm run setup -- ipxe, or name a folder with --ipxe-binary-dir\n',
  );
  process.exit(1);
}
