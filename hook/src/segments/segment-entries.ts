import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Architecture } from '../architecture.ts';
import { isFirstStageLibrary } from '../root-file-system.ts';
import { neededLibraries } from './needed-libraries.ts';
import type { SegmentRecipe } from './segment-recipes.ts';
import type { SegmentEntry } from './tar.ts';

/** Where a program of a package is in the in-memory OS. Its own programs, in `bin` and `sbin`, stay as they are. */
export function placeOf(path: string): string {
  return path.startsWith('usr/') ? path : `usr/${path}`;
}

/** Returns the paths of the programs and of their other names. */
export function programsOf({ programs, links }: SegmentRecipe): readonly string[] {
  const places = programs.map(placeOf);
  const others = Object.entries(links).map(([name, target]) => join(directoryOf(target, places), name));
  return [...places, ...others].sort();
}

/**
 * Returns the programs of a segment with all libraries that the first stage does not have.
 *
 * @param packageRoot the unpacked packages of the recipe.
 */
export async function segmentEntries(
  recipe: SegmentRecipe,
  packageRoot: string,
  architecture: Architecture,
): Promise<readonly SegmentEntry[]> {
  const libraries = await neededLibraries({
    programs: recipe.programs.map((path) => join(packageRoot, path)),
    directories: architecture.libraryDirectories.map((directory) => join(packageRoot, directory)),
    isProvided: (name) => isFirstStageLibrary(name, architecture),
  });
  const file = async (path: string, source: string, mode: number): Promise<SegmentEntry> => ({
    kind: 'file',
    path,
    mode,
    content: await readFile(source),
  });
  const places = recipe.programs.map(placeOf);
  return [
    ...(await Promise.all(
      recipe.programs.map((path) => file(placeOf(path), join(packageRoot, path), 0o755)),
    )),
    ...(await Promise.all([...libraries].map(([name, source]) => file(`lib/${name}`, source, 0o755)))),
    ...(await Promise.all(recipe.files.map((path) => file(path, join(packageRoot, path), 0o644)))),
    ...Object.entries(recipe.links).map(([name, target]) => ({
      kind: 'link' as const,
      path: join(directoryOf(target, places), name),
      target,
    })),
  ];
}

function directoryOf(target: string, places: readonly string[]): string {
  const place = places.find((one) => basename(one) === target);
  if (place !== undefined) return dirname(place);
  throw new Error(`a link of a segment leads to ${target}, which is none of its programs`);
}
