/** What the Debian package and the container image both have: programs, Node, definitions of the API, and iPXE binaries. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeEntry, nodeProgram, type TarEntry } from '@tinkerbell/hook';
import { CHECKOUT, type BuildPlace } from './build-place.ts';
import { copyrightText } from './programs/copyright.ts';
import { INSTALLED, lockedPackages, programFiles, type ProgramFiles } from './programs/program-files.ts';

export interface InstalledFiles {
  readonly programs: ProgramFiles;
  /** Node's executable, without symbols. */
  readonly node: TarEntry;
  readonly definitions: readonly TarEntry[];
  /** Empty when they were not downloaded. */
  readonly ipxe: readonly TarEntry[];
  readonly copyright: string;
}

const IPXE = 'out/ipxe';
const DEFINITIONS = 'api/crd';

export async function installedFiles(place: BuildPlace): Promise<InstalledFiles> {
  const programs = await programFiles(CHECKOUT);
  const ipxe = existsSync(join(CHECKOUT, IPXE))
    ? filesBelow(IPXE).filter(({ path }) => isNetbooted(path))
    : [];
  if (ipxe.length === 0)
    place.onProgress(
      `no iPXE binaries in ${IPXE}, so none are packaged: get them with npm run setup -- ipxe`,
    );
  return {
    programs,
    node: await strippedNode(place),
    definitions: filesBelow(DEFINITIONS).filter(({ path }) => path.endsWith('.yaml')),
    ipxe,
    copyright: copyrightText({
      checkout: CHECKOUT,
      locked: lockedPackages(CHECKOUT),
      npmPackages: programs.npmPackages,
      nodeLicense: nodeLicense(),
      hasIpxe: ipxe.length > 0,
    }),
  };
}

async function strippedNode(place: BuildPlace): Promise<TarEntry> {
  const { architecture, cacheDirectory } = place;
  const workDirectory = await mkdtemp(join(tmpdir(), 'node-'));
  try {
    const program = await nodeProgram(architecture, cacheDirectory);
    const entry = await nodeEntry(program, { architecture, workDirectory });
    if (entry.kind !== 'file') throw new TypeError('Node is a file');
    return { ...entry, path: `${INSTALLED}/node` };
  } finally {
    await rm(workDirectory, { recursive: true });
  }
}

/** The license is in the npm package of this machine's Node, beside the folder of the executable. */
function nodeLicense(): string {
  return readFileSync(join(dirname(process.execPath), '../LICENSE'), 'utf8');
}

/** Debian's package also has images for CDs and USB sticks. */
function isNetbooted(path: string): boolean {
  return /\.(?:efi|k?k?pxe)$/.test(path);
}

function filesBelow(folder: string): readonly TarEntry[] {
  const directory = join(CHECKOUT, folder);
  return readdirSync(directory)
    .sort()
    .map((name) => ({
      kind: 'file' as const,
      path: `${INSTALLED}/${folder}/${name}`,
      mode: 0o644,
      content: readFileSync(join(directory, name)),
    }));
}
