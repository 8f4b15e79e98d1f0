/**
 * Garbage collection: removes what no manifest of any repository needs, and nobody has pushed or found for a while. It marks
 * first, and then removes what is not marked. Requests continue meanwhile, and hold what they rely on (`holds.ts`).
 */
import { readManifest, type Digest } from '@tinkerbell/oci';
import { nextTurn } from '@tinkerbell/platform-contract';
import type { BlobStoreParts } from './blobs.ts';
import { blobPath, digestOfFileName, layerPath, shelfPath } from './layout.ts';
import { neededBy, type ManifestStore } from './manifests.ts';
import type { RegistryMetrics } from './metrics.ts';
import { RegistryError } from './registry-error.ts';
import { repositoriesIn } from './repositories.ts';
import { blobsIn } from './space.ts';

export interface GarbageParts extends BlobStoreParts {
  readonly manifests: ManifestStore;
  readonly metrics: RegistryMetrics;
}

export interface GarbageReport {
  readonly repositories: number;
  readonly manifests: number;
  readonly keptBlobs: number;
  readonly keptBytes: number;
  readonly removedBlobs: number;
  readonly removedBytes: number;
}

/** Throws a RegistryError while another collection runs. */
export async function collectGarbage(parts: GarbageParts): Promise<GarbageReport> {
  const { holds } = parts;
  if (!holds.begin())
    throw new RegistryError(
      'TOOMANYREQUESTS',
      'a garbage collection is running; try again when it has ended',
      {
        headers: { 'retry-after': '10' },
      },
    );
  try {
    const marked = new Set<Digest>();
    let [repositories, manifests] = [0, 0];
    for await (const repository of repositoriesIn(parts.tree)) {
      repositories += 1;
      manifests += await markRepository(parts, repository, marked);
    }
    return { repositories, manifests, ...(await removeUnmarked(parts, marked)) };
  } finally {
    holds.end();
  }
}

/** Returns the number of its manifests. */
async function markRepository(parts: GarbageParts, repository: string, marked: Set<Digest>): Promise<number> {
  const { manifests } = parts;
  const needed = new Set<Digest>();
  const digests = await manifests.list(repository);
  for (const digest of digests) {
    const found = await manifests.find(repository, digest);
    marked.add(digest);
    if (found === undefined) continue;
    for (const blob of neededBy(readManifest(found.bytes, found.mediaType)).blobs) needed.add(blob);
    await nextTurn();
  }
  await removeLinks(parts, repository, needed);
  for (const { name } of await parts.tree.list(shelfPath(repository, '_layers'))) {
    const digest = digestOfFileName(name);
    if (digest !== undefined) marked.add(digest);
  }
  return digests.length;
}

async function removeLinks(
  { tree, holds, clock, graceMs }: GarbageParts,
  repository: string,
  needed: ReadonlySet<Digest>,
): Promise<void> {
  for (const { name } of await tree.list(shelfPath(repository, '_layers'))) {
    const digest = digestOfFileName(name);
    if (digest === undefined || needed.has(digest)) continue;
    await holds.removeUnlessHeld(digest, async () => {
      const link = await tree.stat(layerPath(repository, digest));
      if (link === undefined || clock.nowMs() - link.modifiedMs < graceMs) return false;
      await tree.remove(layerPath(repository, digest));
      return true;
    });
  }
}

async function removeUnmarked(
  { tree, holds, clock, space, graceMs, metrics }: GarbageParts,
  marked: ReadonlySet<Digest>,
): Promise<Omit<GarbageReport, 'repositories' | 'manifests'>> {
  const report = { keptBlobs: 0, keptBytes: 0, removedBlobs: 0, removedBytes: 0 };
  for await (const digest of blobsIn(tree)) {
    const size = (await tree.stat(blobPath(digest)))?.sizeBytes ?? 0;
    const isRemoved =
      !marked.has(digest) &&
      (await holds.removeUnlessHeld(digest, async () => {
        const blob = await tree.stat(blobPath(digest));
        if (blob === undefined || clock.nowMs() - blob.modifiedMs < graceMs) return false;
        await tree.remove(blobPath(digest));
        return true;
      }));
    if (isRemoved) {
      space.changed(-size);
      metrics.collectedBytes.add({}, size);
    }
    report[isRemoved ? 'removedBlobs' : 'keptBlobs'] += 1;
    report[isRemoved ? 'removedBytes' : 'keptBytes'] += size;
  }
  return report;
}
