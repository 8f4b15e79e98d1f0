/** Builds every artefact into one folder. */
import type { BuildPlace } from './build-place.ts';
import { buildServerPackage } from './debian/server-package.ts';
import { buildSystemPackage } from './debian/system-package.ts';
import { installedFiles } from './installed-files.ts';

/** Returns the paths of the artefacts. */
export async function buildPackages(
  place: BuildPlace & { readonly hookDirectory: string },
): Promise<readonly string[]> {
  const installed = await installedFiles(place);
  const server = await buildServerPackage(place, installed);
  place.onProgress(server);
  const system = await buildSystemPackage(place, place.hookDirectory);
  return [server, ...(system === undefined ? [] : [system])];
}
