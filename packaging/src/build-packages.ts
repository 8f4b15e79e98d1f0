/** Builds every artefact into one folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildPlace } from './build-place.ts';
import { sha256Sums } from './checksums.ts';
import { componentsOf } from './components.ts';
import { buildServerPackage } from './debian/server-package.ts';
import { buildSystemPackage, systemFiles } from './debian/system-package.ts';
import { imageArchive } from './image/image-archive.ts';
import { serverImage } from './image/server-image.ts';
import { installedFiles } from './installed-files.ts';
import { npmPackage } from './npm/npm-package.ts';
import { billOfMaterials } from './sbom.ts';

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
  const written = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(place.outputDirectory, name);
    await writeFile(path, content);
    return path;
  };
  add(await buildServerPackage(place, installed));
  if (system.length > 0) add(await buildSystemPackage(place, system));
  const { image, libraries } = await serverImage(place, installed, system);
  const name = `tinkerbell_${place.version}`;
  add(await written(`${name}_oci.tar`, imageArchive(image, place.modifiedSeconds)));
  add(await written(`tinkerbell-${place.version}.tgz`, await npmPackage(place, installed)));
  const components = componentsOf({ installed, system, libraries });
  add(await written(`${name}.spdx.json`, billOfMaterials({ ...place, components })));
  add(await written('SHA256SUMS', await sha256Sums(paths)));
  return paths;
}
