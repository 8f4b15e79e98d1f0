/** The layers of the actions' images for one processor. Each is built once and shared. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { BundleFile } from '../agent-bundle.ts';
import { OWN_ARCHITECTURE, type Architecture } from '../architecture.ts';
import type { CpioEntry } from '../cpio.ts';
import { openDebianArchive, type DebianArchive } from '../debian-archive.ts';
import { nodeEntry, nodeFingerprint, nodeProgram } from '../node-program.ts';
import { busyboxEntries, LIBRARY_PACKAGES, libraryEntries } from '../root-file-system.ts';
import { segmentEntries } from '../segments/segment-entries.ts';
import { segmentRecipesFor } from '../segments/segment-recipes.ts';
import type { TarEntry } from '../segments/tar.ts';
import { unpackPackages } from '../unpack-packages.ts';
import type { ActionRecipe } from './action-recipes.ts';
import { imageLayer, type ImageLayer } from './image-layer.ts';

const DEBIAN_SUITE = 'bookworm';
const SYSTEM_FILES = fileURLToPath(new URL('../../rootfs/etc/', import.meta.url));
const SYSTEM_FILE_NAMES = ['group', 'nsswitch.conf', 'passwd'];
/** Where a runtime mounts the systems of the kernel, and where actions work. */
const DIRECTORIES = ['dev', 'mnt', 'proc', 'root', 'run', 'sys', 'tmp', 'var'];

export interface LayerPlace {
  readonly architecture: Architecture;
  readonly cacheDirectory: string;
  readonly workDirectory: string;
  readonly bundle: readonly BundleFile[];
  readonly onProgress: (line: string) => void;
}

/** Returns the layers of an action, the lowest first. */
export type LayersOf = (recipe: ActionRecipe) => Promise<readonly ImageLayer[]>;

export async function actionLayers(place: LayerPlace): Promise<LayersOf> {
  const { architecture, cacheDirectory } = place;
  const archive = await archiveOf(architecture, cacheDirectory);
  const base = await told(place, () => baseLayer(place, archive));
  const busybox = await told(place, () => busyboxLayer(place, archive));
  const program = await told(place, () => programLayer(place));
  const segments = new Map<string, ImageLayer>();
  return async (recipe) => {
    for (const name of recipe.segments)
      if (!segments.has(name))
        segments.set(name, await told(place, () => segmentLayer(name, place, archive)));
    const own = recipe.segments.flatMap((name) => segments.get(name) ?? []);
    return [base, ...(recipe.startsPrograms ? [busybox] : []), ...own, program];
  };
}

function archiveOf({ debian }: Architecture, cacheDirectory: string): Promise<DebianArchive> {
  return openDebianArchive({ suite: DEBIAN_SUITE, cacheDirectory, architecture: debian });
}

async function told({ architecture, onProgress }: LayerPlace, build: () => Promise<ImageLayer>) {
  const layer = await build();
  onProgress(`${architecture.name}: ${layer.createdBy}: ${(layer.bytes.length / 1e6).toFixed(1)} MB`);
  return layer;
}

async function baseLayer(place: LayerPlace, archive: DebianArchive): Promise<ImageLayer> {
  const { architecture, cacheDirectory, workDirectory } = place;
  const libraries = await archive.download([...LIBRARY_PACKAGES]);
  const node = await nodeProgram(architecture, cacheDirectory);
  const system = await systemEntries();
  return imageLayer({
    createdBy: `Node ${process.version} and its libraries`,
    name: `node-${architecture.name}`,
    inputs: [await nodeFingerprint(node), ...libraries.map((path) => basename(path)), ...system.map(inputOf)],
    cacheDirectory,
    entries: async () => [
      ...system,
      ...withoutDevices(
        await libraryEntries(await unpackPackages(libraries, join(workDirectory, 'libraries')), architecture),
      ),
      ...withoutDevices([await nodeEntry(node, { architecture, workDirectory })]),
    ],
  });
}

async function systemEntries(): Promise<readonly TarEntry[]> {
  const files = SYSTEM_FILE_NAMES.map(async (name) => ({
    kind: 'file' as const,
    path: `etc/${name}`,
    mode: 0o644,
    content: await readFile(join(SYSTEM_FILES, name)),
  }));
  const directories = DIRECTORIES.map((path) => ({
    kind: 'directory' as const,
    path,
    mode: path === 'tmp' ? 0o1777 : 0o755,
  }));
  return [...directories, ...(await Promise.all(files))];
}

async function busyboxLayer(place: LayerPlace, archive: DebianArchive): Promise<ImageLayer> {
  const { architecture, cacheDirectory, workDirectory } = place;
  const [busybox = ''] = await archive.download(['busybox-static']);
  const ownArchive = await archiveOf(OWN_ARCHITECTURE, cacheDirectory);
  const [own = ''] = await ownArchive.download(['busybox-static']);
  return imageLayer({
    createdBy: basename(busybox),
    name: `busybox-${architecture.name}`,
    inputs: [basename(busybox), basename(own)],
    cacheDirectory,
    entries: async () =>
      withoutDevices(
        await busyboxEntries(
          await unpackPackages([busybox], join(workDirectory, 'busybox')),
          await unpackPackages([own], join(workDirectory, 'own-busybox')),
        ),
      ),
  });
}

async function segmentLayer(name: string, place: LayerPlace, archive: DebianArchive): Promise<ImageLayer> {
  const { architecture, cacheDirectory, workDirectory } = place;
  const recipe = segmentRecipesFor(architecture).find((one) => one.name === name);
  if (recipe === undefined) throw new Error(`there is no segment ${name} for ${architecture.name}`);
  const packages = await archive.download([...recipe.packages, ...recipe.libraryPackages].sort());
  return imageLayer({
    createdBy: `programs: ${recipe.packages.join(' ')}`,
    name: `${name}-${architecture.name}`,
    inputs: [JSON.stringify(recipe), ...packages.map((path) => basename(path))],
    cacheDirectory,
    entries: async () =>
      segmentEntries(recipe, await unpackPackages(packages, join(workDirectory, name)), architecture),
  });
}

async function programLayer({ bundle, cacheDirectory }: LayerPlace): Promise<ImageLayer> {
  const entries = bundle.map(({ name, content }) => ({
    kind: 'file' as const,
    path: `usr/lib/tinkerbell/${name}`,
    mode: 0o644,
    content,
  }));
  return imageLayer({
    createdBy: 'the actions',
    name: 'actions',
    inputs: bundle.flatMap(({ name, content }) => [name, content]),
    cacheDirectory,
    entries: async () => entries,
  });
}

function withoutDevices(entries: readonly CpioEntry[]): readonly TarEntry[] {
  return entries.flatMap((entry) => (entry.kind === 'character-device' ? [] : [entry]));
}

function inputOf(entry: TarEntry): string {
  const content = entry.kind === 'file' ? Buffer.from(entry.content).toString() : '';
  return JSON.stringify([entry.kind, entry.path, content]);
}
