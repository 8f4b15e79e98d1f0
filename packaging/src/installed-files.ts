/** What the Debian package and the container image both have: programs, Node, definitions of the API, web console and iPXE binaries. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeEntry, nodeProgram, type TarEntry } from '@tinkerbell/hook';
import { CHECKOUT, type BuildPlace } from './build-place.ts';
import { filesBelow } from './files-below.ts';
import { copyrightText } from './programs/copyright.ts';
import { neededPackages, type LockedPackages } from './programs/npm-packages.ts';
import { INSTALLED, lockedPackages, programFiles, type ProgramFiles } from './programs/program-files.ts';

export interface InstalledFiles {
  readonly programs: ProgramFiles;
  /** Node's executable, without symbols. */
  readonly node: TarEntry;
  readonly definitions: readonly TarEntry[];
  readonly webConsole: readonly TarEntry[];
  /** Folders of the npm packages in the programs and in the web console, below the checkout. */
  readonly npmPackages: readonly string[];
  /** Empty when they were not downloaded. */
  readonly ipxe: readonly TarEntry[];
  readonly copyright: string;
}

const IPXE = 'out/ipxe';
const DEFINITIONS = 'api/crd';
const WEB_CONSOLE = 'out/console';

export async function installedFiles(place: BuildPlace): Promise<InstalledFiles> {
  const programs = await programFiles(CHECKOUT, 'installed');
  const ipxe = existsSync(join(CHECKOUT, IPXE))
    ? checkoutFiles(IPXE).filter(({ path }) => isNetbooted(path))
    : [];
  if (ipxe.length === 0)
    place.onProgress(
      `no iPXE binaries in ${IPXE}, so none are packaged: get them with npm run setup -- ipxe`,
    );
  const locked = lockedPackages(CHECKOUT);
  const npmPackages = [...new Set([...programs.npmPackages, ...webConsolePackages(locked)])].sort();
  return {
    programs,
    npmPackages,
    webConsole: checkoutFiles(WEB_CONSOLE),
    node: await strippedNode(place),
    definitions: checkoutFiles(DEFINITIONS).filter(({ path }) => path.endsWith('.yaml')),
    ipxe,
    copyright: copyrightText({
      checkout: CHECKOUT,
      locked,
      npmPackages,
      nodeLicense: nodeLicense(),
      hasIpxe: ipxe.length > 0,
    }),
  };
}

/** Vite builds the console, and is not in it. */
function webConsolePackages(locked: LockedPackages): readonly string[] {
  const names = Object.keys(locked['apps/console']?.dependencies ?? {});
  return neededPackages(
    locked,
    names.filter((name) => name !== 'vite' && !name.startsWith('@tinkerbell/')),
  );
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

function checkoutFiles(folder: string): readonly TarEntry[] {
  return filesBelow(join(CHECKOUT, folder), `${INSTALLED}/${folder}`);
}

/** The license is in the npm package of this machine's Node, beside the folder of the executable. */
function nodeLicense(): string {
  return readFileSync(join(dirname(process.execPath), '../LICENSE'), 'utf8');
}

/** Debian's package also has images for CDs and USB sticks. */
function isNetbooted(path: string): boolean {
  return /\.(?:efi|k?k?pxe)$/.test(path);
}
