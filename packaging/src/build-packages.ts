/** Builds every artefact into one folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TarEntry } from '@tinkerbell/hook';
import type { BuildPlace } from './build-place.ts';
import { buildServerPackage } from './debian/server-package.ts';
import { buildSystemPackage, systemFiles } from './debian/system-package.ts';
import { imageArchive } from './image/image-archive.ts';
import { serverImage } from './image/server-image.ts';
import { installedFiles, type InstalledFiles } from './installed-files.ts';

export interface PackagesRequest extends BuildPlace {
  /** The in-memory OS, as `npm run hook` writes it. */
  readonly hookDirectory: string;
}

/** Returns the paths of the artefacts. */
export async function buildPackages(place: PackagesRequest): Promise<readonly string[]> {
  const { hookDirectory, onProgress } = place;
  await mkdir(place.outputDirectory, { recursive: true });
  const installed = await installedFiles(place);
  const system = systemFiles(hookDirectory);
  if (system.length === 0)
    onProgress(`no in-memory OS in ${hookDirectory}, so none is packaged: build it with npm run hook`);
  const paths: string[] = [];
  const add = (path: string): void => {
    onProgress(path);
    paths.push(path);
  };
  add(await buildServerPackage(place, installed));
  if (system.length > 0) add(await buildSystemPackage(place, system));
  add(await writeImage(place, { installed, system }));
  return paths;
}

async function writeImage(
  place: BuildPlace,
  { installed, system }: { readonly installed: InstalledFiles; readonly system: readonly TarEntry[] },
): Promise<string> {
  const { outputDirectory, version, modifiedSeconds } = place;
  const image = await serverImage(place, installed, system);
  const path = join(outputDirectory, `tinkerbell_${version}_oci.tar`);
  await writeFile(path, imageArchive(image, modifiedSeconds));
  return path;
}
