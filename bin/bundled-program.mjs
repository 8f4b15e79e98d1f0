/**
 * Finds the bundle of a program, which scripts/bundle-programs.ts makes at set-up. Loading one file instead of 900 halves the start
 * time. A bundle counts only while every source is as it was bundled, so an edit takes effect at once. Plain JavaScript, because it
 * runs before anything else, and in set-up with the machine's own Node.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The folder of all bundles of a checkout. `server.json` and `tink.json` in it describe the current one, see `BundleIndex`. A bundle
 * with the newest server is the newest for all programs.
 */
export function bundlesOf(root) {
  return join(root, '.cache/programs');
}

/** The URL of the bundle's entry, or undefined when there is no bundle, or a source has changed. */
export function bundledProgram(name, root = checkout) {
  const index = readIndex(name, root);
  if (index === undefined || index.root !== root || !isFresh(index)) return undefined;
  return pathToFileURL(join(bundlesOf(root), index.folder, `${name}.mjs`)).href;
}

function readIndex(name, root) {
  try {
    return JSON.parse(readFileSync(join(bundlesOf(root), `${name}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

function isFresh({ root, inputs }) {
  return inputs.every(([path, size, mtimeMs]) => {
    // There are 900, and `join` takes as long as the look at a file.
    const stat = statSync(`${root}/${path}`, { throwIfNoEntry: false });
    return stat !== undefined && stat.size === size && stat.mtimeMs === mtimeMs;
  });
}
