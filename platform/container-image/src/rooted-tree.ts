/**
 * A directory tree. None of its paths leads outside. The tree belongs to this process alone. Therefore a path whose parents were
 * found to be directories stays such a path until this process changes it.
 */
import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, unlinkSync, type Stats } from 'node:fs';
import { codeOf } from '@tinkerbell/platform-contract';
import { layerFailure } from './layer-failure.ts';

/** As the kernel's limit (path_resolution(7)). */
const LINKS_MAX = 40;
const DIRECTORY_MODE = 0o755;

/** Parts below the root, without symbolic links among the parents. */
export type Place = readonly string[];

export class RootedTree {
  readonly #root: string;
  /** Parents that were found, by their name in the layer. */
  readonly #parents = new Map<string, Place>();

  constructor(root: string) {
    this.#root = Buffer.from(root).toString('latin1');
  }

  /** The path of a place for Node's functions. */
  path(place: Place): Buffer {
    return Buffer.from([this.#root, ...place].join('/'), 'latin1');
  }

  stat(place: Place): Stats | undefined {
    return lstatSync(this.path(place), { throwIfNoEntry: false });
  }

  /**
   * The place of `parts`. All but the last are resolved within the root. A parent that is absent is created, or the
   * result is undefined. Throws a PlatformError when a parent is not a directory.
   */
  place(parts: readonly string[], absentParents: 'create' | 'decline'): Place | undefined {
    const last = parts.at(-1);
    if (last === undefined) return [];
    const names = parts.slice(0, -1);
    const key = names.join('/');
    const known = this.#parents.get(key) ?? this.#directory(names, absentParents);
    if (known === undefined) return undefined;
    this.#parents.set(key, known);
    return [...known, last];
  }

  /** Follows symbolic links to the end, within the root. Undefined when nothing is there. */
  resolve(parts: readonly string[]): Place | undefined {
    return this.#walk(parts, () => false);
  }

  /** Must be called when a symbolic link was created. Removals do it themselves. */
  changed(): void {
    this.#parents.clear();
  }

  children(place: Place): readonly string[] {
    return readdirSync(this.path(place), { encoding: 'latin1' });
  }

  /** Removes what is at the place, with all that is below. Follows no link. */
  remove(place: Place): void {
    this.changed();
    if (this.stat(place)?.isDirectory() !== true) {
      unlinkSync(this.path(place));
      return;
    }
    for (const child of this.children(place)) this.remove([...place, child]);
    rmdirSync(this.path(place));
  }

  /** True if all parents of the place are still directories. */
  isDirect(place: Place): boolean {
    return place.every((_, index) => index === 0 || this.stat(place.slice(0, index))?.isDirectory() === true);
  }

  #directory(names: readonly string[], absent: 'create' | 'decline'): Place | undefined {
    const found = this.#walk(names, (place) => {
      if (absent === 'decline') return false;
      mkdirSync(this.path(place), DIRECTORY_MODE);
      return true;
    });
    if (found === undefined || this.stat(found)?.isDirectory() === true) return found;
    throw layerFailure('damaged', names.join('/'), 'a parent is not a directory');
  }

  #walk(parts: readonly string[], create: (place: Place) => boolean): Place | undefined {
    const pending = parts.toReversed();
    let place: string[] = [];
    let links = 0;
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part === '..') {
        place = place.slice(0, -1);
        continue;
      }
      const next = [...place, part];
      const stats = this.#statOf(next, parts);
      if (stats?.isSymbolicLink() === true) {
        links += 1;
        if (links > LINKS_MAX) throw layerFailure('damaged', parts.join('/'), 'too many symbolic links');
        const target = readlinkSync(this.path(next), { encoding: 'latin1' });
        if (target.startsWith('/')) place = [];
        pending.push(
          ...target
            .split('/')
            .filter((one) => one !== '' && one !== '.')
            .toReversed(),
        );
        continue;
      }
      if (stats === undefined && !create(next)) return undefined;
      place = next;
    }
    return place;
  }

  #statOf(place: Place, parts: readonly string[]): Stats | undefined {
    try {
      return this.stat(place);
    } catch (error) {
      const problem =
        codeOf(error) === 'ENOTDIR' ? 'a parent is not a directory' : (codeOf(error) ?? 'failed');
      throw layerFailure('damaged', parts.join('/'), problem);
    }
  }
}
