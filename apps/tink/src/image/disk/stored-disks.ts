/** Disk images that the registry has. */
import { createHash } from 'node:crypto';
import { DISK_CONFIG_BYTES_MAX, isDiskManifest, readDiskImage, type DiskImage } from '@tinkerbell/images';
import { hexOf, readManifest, type ImageManifest } from '@tinkerbell/oci';
import { TinkFailure } from '../../failure.ts';
import type { RegistrySession } from '../registry-session.ts';

/** Chunks of so many tags are reused. */
const EARLIER_MAX = 8;

/** The disk images of a repository. `first`: the tag whose image is most like the new one. */
export async function earlierDisks(
  registry: RegistrySession,
  repository: string,
  first: string,
): Promise<readonly DiskImage[]> {
  const known = (await registry.repositories()).includes(repository);
  const tags = known ? await registry.tags(repository) : [];
  const wanted = tags
    .toSorted((one, other) => Number(other === first) - Number(one === first))
    .slice(0, EARLIER_MAX);
  const images: DiskImage[] = [];
  for (const tag of wanted) {
    const { bytes, mediaType } = await registry.manifest(repository, tag);
    const manifest = readManifest(bytes, mediaType);
    if (manifest.kind === 'image' && isDiskManifest(manifest))
      images.push(await storedDisk(registry, repository, manifest));
  }
  return images;
}

/** Throws a TinkFailure or an `OciError` for a damaged index. */
export async function storedDisk(
  registry: RegistrySession,
  repository: string,
  manifest: ImageManifest,
): Promise<DiskImage> {
  const { digest } = manifest.config;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of await registry.blob(repository, digest)) {
    size += chunk.length;
    if (size > DISK_CONFIG_BYTES_MAX)
      throw new TinkFailure(`the index ${digest} is larger than ${DISK_CONFIG_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (createHash('sha256').update(bytes).digest('hex') !== hexOf(digest))
    throw new TinkFailure(`what the registry sent for ${digest} has another digest`);
  return readDiskImage(manifest, bytes);
}
