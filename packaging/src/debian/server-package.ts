/** The package `tinkerbell`: the server, `tink`, and what an administrator expects beside them. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { flags } from '@tinkerbell/app-server';
import { commandPages, completionScripts } from '@tinkerbell/app-tink';
import type { TarEntry } from '@tinkerbell/hook';
import type { BuildPlace } from '../build-place.ts';
import type { InstalledFiles } from '../installed-files.ts';
import { serverManual } from '../manual/server-manual.ts';
import { settingsFile } from '../manual/settings-file.ts';
import { tinkManual } from '../manual/tink-manual.ts';
import { buildDeb } from './build-deb.ts';
import { changelog } from './changelog.ts';
import type { PackageDescription } from './control.ts';

const SOURCES = join(import.meta.dirname, '../../debian');
/** The libraries that Node's official executable links. They are in Debian 12 and in every later release. */
const NODE_LIBRARIES = ['libatomic1', 'libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 5)'];
const SCRIPTS = ['postinst', 'prerm', 'postrm'];

/** Returns the path of the package. */
export function buildServerPackage(place: BuildPlace, installed: InstalledFiles): Promise<string> {
  const { folder } = installed.programs;
  return buildDeb({
    description: descriptionOf(place),
    entries: serverEntries(place, installed),
    scripts: Object.fromEntries(SCRIPTS.map((name) => [name, sourceOf(name, folder)])),
    outputDirectory: place.outputDirectory,
    modifiedSeconds: place.modifiedSeconds,
    compression: ['-Zxz', place.release ? '-z9' : '-z0'],
  });
}

function serverEntries(place: BuildPlace, installed: InstalledFiles): readonly TarEntry[] {
  const { programs, node, definitions, webConsole, ipxe, copyright } = installed;
  const text = (path: string, content: string, mode = 0o644): TarEntry => ({
    kind: 'file',
    path,
    mode,
    content: Buffer.from(content),
  });
  const source = (path: string, name: string, mode?: number) =>
    text(path, sourceOf(name, programs.folder), mode);
  const compressed = (path: string, content: string): TarEntry => ({
    kind: 'file',
    path,
    mode: 0o644,
    content: gzipSync(content, { level: 9 }),
  });
  const documents = 'usr/share/doc/tinkerbell';
  return [
    ...programs.entries,
    node,
    ...definitions,
    ...webConsole,
    ...ipxe,
    source('usr/bin/tinkerbell', 'tinkerbell.sh', 0o755),
    source('usr/bin/tink', 'tink.sh', 0o755),
    source('lib/systemd/system/tinkerbell.service', 'tinkerbell.service'),
    text('etc/tinkerbell/tinkerbell.yaml', settingsFile(flags)),
    compressed('usr/share/man/man8/tinkerbell.8.gz', serverManual(flags, place.version)),
    compressed('usr/share/man/man1/tink.1.gz', tinkManual(commandPages(), place.version)),
    text('usr/share/bash-completion/completions/tink', completionScripts.bash),
    text('usr/share/zsh/vendor-completions/_tink', completionScripts.zsh),
    text('usr/share/fish/vendor_completions.d/tink.fish', completionScripts.fish),
    text(`${documents}/copyright`, copyright),
    compressed(`${documents}/changelog.gz`, changelog('tinkerbell', place)),
    source('usr/share/lintian/overrides/tinkerbell', 'lintian-overrides'),
  ];
}

/** `PROGRAMS` and `HASH` in a file are the folder of the programs and its name. */
function sourceOf(name: string, folder: string): string {
  return readFileSync(join(SOURCES, name), 'utf8')
    .replaceAll('@PROGRAMS@', folder)
    .replaceAll('@HASH@', basename(folder));
}

function descriptionOf({ version, architecture, maintainer }: BuildPlace): PackageDescription {
  return {
    name: 'tinkerbell',
    version,
    architecture: architecture.debian,
    maintainer,
    depends: ['adduser', ...NODE_LIBRARIES],
    recommends: ['tinkerbell-os'],
    summary: 'provisioning of bare-metal machines',
    description: [
      'Tinkerbell turns a bare machine with no operating system into a configured',
      'node. One process provides DHCP, TFTP, iPXE and HTTP netboot, instance',
      'metadata, images, workflows and a Kubernetes-compatible API, and stores its',
      'objects in one SQLite file.',
      '',
      'This package has the server, the command line tink, the Node.js that runs',
      'them, and iPXE binaries. The in-memory OS that machines boot is in the',
      'package tinkerbell-os.',
    ],
  };
}
