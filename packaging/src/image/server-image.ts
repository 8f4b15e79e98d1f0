/** The container image of the server. It has no shell: only Node, its libraries and our programs. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  builtImage,
  imageLayer,
  LIBRARY_PACKAGES,
  libraryEntries,
  openDebianArchive,
  unpackPackages,
  type BuiltImage,
  type ImageLayer,
  type TarEntry,
} from '@tinkerbell/hook';
import type { BuildPlace } from '../build-place.ts';
import { SYSTEM_FOLDER } from '../debian/system-package.ts';
import type { InstalledFiles } from '../installed-files.ts';
import { INSTALLED } from '../programs/program-files.ts';

const DEBIAN_SUITE = 'bookworm';
const STATE = 'var/lib/tinkerbell';
/** The user that images without a user of their own have by convention. */
const USER = 65_532;

const FILES: Readonly<Record<string, string>> = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\ntinkerbell:x:${USER}:${USER}:Tinkerbell server:/${STATE}:/sbin/nologin\n`,
  'etc/group': `root:x:0:\ntinkerbell:x:${USER}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
};
/** Where a runtime mounts the systems of the kernel. */
const DIRECTORIES = ['dev', 'etc', 'proc', 'root', 'run', 'sys'];
const PORTS = ['67/udp', '69/udp', '514/udp', '7080/tcp', '7443/tcp', '42113/tcp'];

export interface ServerImage {
  readonly image: BuiltImage;
  /** File names of the Debian packages inside. */
  readonly libraries: readonly string[];
}

/** `system` is the in-memory OS, or empty. */
export async function serverImage(
  place: BuildPlace,
  installed: InstalledFiles,
  system: readonly TarEntry[],
): Promise<ServerImage> {
  const { architecture, version, modifiedSeconds } = place;
  const packages = await libraryPackages(place);
  const layers = [
    await libraryLayer(place, packages),
    await contentLayer(place, { name: 'server-node', createdBy: 'Node', entries: [installed.node] }),
    ...(system.length === 0
      ? []
      : [await contentLayer(place, { name: 'server-os', createdBy: 'the in-memory OS', entries: system })]),
    await contentLayer(place, {
      name: 'server-programs',
      createdBy: `tinkerbell ${version}`,
      entries: programEntries(installed),
    }),
  ];
  const program = {
    created: new Date(modifiedSeconds * 1000).toISOString().replace('.000Z', 'Z'),
    entrypoint: ['/usr/bin/tinkerbell'],
    environment: [
      'PATH=/usr/bin',
      'MALLOC_ARENA_MAX=1',
      `TINKERBELL_DATA_DIR=/${STATE}`,
      ...(system.length === 0 ? [] : [`TINKERBELL_HOOK_DIR=/${SYSTEM_FOLDER}`]),
    ],
    labels: {
      'org.opencontainers.image.title': 'tinkerbell',
      'org.opencontainers.image.description': 'Provisions bare-metal machines',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
    user: `${USER}:${USER}`,
    exposedPorts: PORTS,
    volumes: [`/${STATE}`],
  };
  return {
    image: builtImage(`tinkerbell:${version}`, program, [{ architecture, layers }]),
    libraries: packages.map((path) => basename(path)),
  };
}

async function libraryPackages({ architecture, cacheDirectory }: BuildPlace): Promise<readonly string[]> {
  const archive = await openDebianArchive({
    suite: DEBIAN_SUITE,
    cacheDirectory,
    architecture: architecture.debian,
  });
  return archive.download([...LIBRARY_PACKAGES]);
}

function libraryLayer(
  { architecture, cacheDirectory }: BuildPlace,
  packages: readonly string[],
): Promise<ImageLayer> {
  const system = systemEntries();
  return imageLayer({
    createdBy: packages.map((path) => basename(path)).join(' '),
    name: `server-libraries-${architecture.name}`,
    inputs: [...packages.map((path) => basename(path)), JSON.stringify([FILES, DIRECTORIES])],
    cacheDirectory,
    entries: async () => {
      const work = await mkdtemp(join(tmpdir(), 'libraries-'));
      try {
        const libraries = await libraryEntries(await unpackPackages(packages, work), architecture);
        return [
          ...system,
          ...libraries.flatMap((entry) => (entry.kind === 'character-device' ? [] : [entry])),
        ];
      } finally {
        await rm(work, { recursive: true });
      }
    },
  });
}

function systemEntries(): readonly TarEntry[] {
  const directories = DIRECTORIES.map((path) => ({ kind: 'directory' as const, path, mode: 0o755 }));
  const files = Object.entries(FILES).map(([path, text]) => fileOf(path, text));
  return [...directories, { kind: 'directory', path: 'tmp', mode: 0o1777 }, ...files];
}

function fileOf(path: string, text: string, mode = 0o644): TarEntry {
  return { kind: 'file', path, mode, content: Buffer.from(text) };
}

function programEntries({
  programs,
  definitions,
  webConsole,
  ipxe,
  copyright,
}: InstalledFiles): readonly TarEntry[] {
  return [
    ...programs.entries,
    ...definitions,
    ...webConsole,
    ...ipxe,
    fileOf('usr/bin/tinkerbell', launcher(programs.folder, 'server'), 0o755),
    fileOf('usr/bin/tink', launcher(programs.folder, 'tink'), 0o755),
    fileOf('usr/share/doc/tinkerbell/copyright', copyright),
    { kind: 'directory', path: STATE, mode: 0o700, owner: USER },
  ];
}

/** See `allowCompilers` for the compilers. */
const SERVER_ALONE = [
  '--no-allocation-site-pretenuring',
  '--sparkplug-filter=none',
  '--maglev-filter=none',
  '--turbo-filter=none',
];

/** Without a shell, Node itself is the interpreter. The kernel passes it one argument. See apps/server/src/main.mjs. */
function launcher(folder: string, name: 'server' | 'tink'): string {
  const flags = ['--heap-growing-percent=110', ...(name === 'server' ? SERVER_ALONE : [])];
  return `#!/${INSTALLED}/node --max-semi-space-size=8
for (const flag of ${JSON.stringify(flags)}) require('node:v8').setFlagsFromString(flag);
import('/${folder}/start-${name}.mjs');
`;
}

/** A layer whose content is at hand. */
function contentLayer(
  { architecture, cacheDirectory }: BuildPlace,
  {
    name,
    createdBy,
    entries,
  }: { readonly name: string; readonly createdBy: string; readonly entries: readonly TarEntry[] },
): Promise<ImageLayer> {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const { content, ...rest } = entry.kind === 'file' ? entry : { ...entry, content: new Uint8Array() };
    hash.update(`${JSON.stringify(rest)}\0${content.length}\0`).update(content);
  }
  return imageLayer({
    createdBy,
    name: `${name}-${architecture.name}`,
    inputs: [hash.digest()],
    cacheDirectory,
    entries: async () => entries,
  });
}
