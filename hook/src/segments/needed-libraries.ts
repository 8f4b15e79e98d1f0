/** Finds the shared libraries of programs, and the libraries of those, in unpacked packages. */
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../run-command.ts';

/** No program here needs more than thirty. */
const LIBRARIES_MAX = 200;

export interface LibrarySearch {
  /** Paths of programs. */
  readonly programs: readonly string[];
  /** Where libraries may be. The first directory that has one wins. */
  readonly directories: readonly string[];
  /** True for a library that the first stage already has. */
  readonly isProvided: (name: string) => boolean;
}

/**
 * Returns the libraries by the name that programs know, with the path of the file.
 *
 * @throws Error that names a library that is missing, and what needs it.
 */
export async function neededLibraries(search: LibrarySearch): Promise<ReadonlyMap<string, string>> {
  const known = await librariesIn(search.directories);
  const found = new Map<string, string>();
  const waiting = [...search.programs];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const name of neededBy(await runCommand('readelf', ['--dynamic', '--wide', path]))) {
      if (found.has(name) || search.isProvided(name)) continue;
      const library = known.get(name);
      if (library === undefined)
        throw new Error(
          `${path} needs ${name}, which is in no package of its segment: add the package to hook/src/segments/segment-recipes.ts`,
        );
      found.set(name, library);
      if (found.size > LIBRARIES_MAX) throw new Error(`${path} needs more than ${LIBRARIES_MAX} libraries`);
      waiting.push(library);
    }
  }
  return found;
}

/** Reads the `NEEDED` lines of readelf. A static program has none. */
export function neededBy(text: string): readonly string[] {
  return [...text.matchAll(/\(NEEDED\).*\[([^\]]+)\]$/gm)].map(([, name = '']) => name);
}

async function librariesIn(directories: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for (const directory of directories) {
    const names = await readdir(directory).catch(() => []);
    for (const name of names.filter((one) => one.includes('.so.') && !known.has(one))) {
      const file = await realpath(join(directory, name)).catch(() => undefined);
      if (file !== undefined) known.set(name, file);
    }
  }
  return known;
}
