/** The files of a folder as entries of a package. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TarEntry } from '@tinkerbell/hook';

/** Returns its files and symbolic links, at any depth, sorted, with paths below `target`. Debian's ipxe.efi is a link. */
export function filesBelow(directory: string, target: string): readonly TarEntry[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => {
      const source = join(entry.parentPath, entry.name);
      const path = `${target}/${relative(directory, source)}`;
      return entry.isFile()
        ? { kind: 'file' as const, path, mode: 0o644, content: readFileSync(source) }
        : { kind: 'link' as const, path, target: readlinkSync(source) };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
