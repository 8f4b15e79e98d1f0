/** The package `tinkerbell-os`: the in-memory OS that machines boot. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TarEntry } from '@tinkerbell/hook';
import type { BuildPlace } from '../build-place.ts';
import { changelog } from './changelog.ts';
import { buildDeb } from './build-deb.ts';

/** What `npm run hook` writes, and the value of `hook-dir` in the settings file. */
export const SYSTEM_FOLDER = 'usr/lib/tinkerbell-os';

const COPYRIGHT = `Copyright (C) 2026 the authors of Tinkerbell in TypeScript, and those of its parts

The in-memory OS consists of Debian packages, unchanged, of Node.js and of the agent of Tinkerbell.

The agent is licensed under the Apache License, Version 2.0, which is in /usr/share/common-licenses/Apache-2.0 on Debian
systems. The licenses of Node.js and of the npm packages in the agent are in /usr/share/doc/tinkerbell/copyright of the
package tinkerbell.

The Debian packages are the kernel (GPL-2), busybox (GPL-2), glibc (LGPL-2.1), the libraries of GCC (GPL-3 with the GCC
runtime library exception), and those that segments-*.json lists with their versions. Their sources and copyright files are
at https://sources.debian.org. On Debian systems the texts of these licenses are in /usr/share/common-licenses.
`;

/** Returns the path of the package. */
export function buildSystemPackage(place: BuildPlace, files: readonly TarEntry[]): Promise<string> {
  const documents = 'usr/share/doc/tinkerbell-os';
  const { version, maintainer, outputDirectory, modifiedSeconds } = place;
  return buildDeb({
    description: {
      name: 'tinkerbell-os',
      version,
      // It is for the machines, whatever the server runs on.
      architecture: 'all',
      maintainer,
      depends: [],
      recommends: [],
      summary: 'in-memory OS of Tinkerbell',
      description: [
        'Machines that Tinkerbell provisions boot this system from the network. It has',
        'a kernel, the agent that executes actions, and the programs that actions need.',
      ],
    },
    entries: [
      ...files,
      { kind: 'file', path: `${documents}/copyright`, mode: 0o644, content: Buffer.from(COPYRIGHT) },
      {
        kind: 'file',
        path: `${documents}/changelog.gz`,
        mode: 0o644,
        content: gzipSync(changelog('tinkerbell-os', place), { level: 9 }),
      },
    ],
    scripts: {},
    outputDirectory,
    modifiedSeconds,
    // The files are compressed already.
    compression: ['-Zgzip', '-z1'],
  });
}

/** Returns the files of the in-memory OS, or nothing when it was not built. */
export function systemFiles(directory: string): readonly TarEntry[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
  if (!names.some((name) => name.startsWith('vmlinuz-'))) return [];
  return names.map((name) => ({
    kind: 'file',
    path: `${SYSTEM_FOLDER}/${name}`,
    mode: 0o644,
    content: readFileSync(join(directory, name)),
  }));
}
