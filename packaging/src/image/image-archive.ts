/** One image as one file: an OCI layout in a tar archive, which Docker, Podman, skopeo and containerd load. */
import { encodeTar, layoutFiles, withParents, type BuiltImage } from '@tinkerbell/hook';
import { readManifest } from '@tinkerbell/oci';

/** The file that Docker looks for. */
const DOCKER_MANIFEST = 'manifest.json';

export function imageArchive(image: BuiltImage, modifiedSeconds: number): Uint8Array {
  const files = new Map([...layoutFiles([image]), [DOCKER_MANIFEST, dockerManifest(image)]]);
  const entries = [...files].map(([path, content]) => ({
    kind: 'file' as const,
    path,
    mode: 0o644,
    content,
  }));
  return encodeTar(withParents(entries), modifiedSeconds);
}

/**
 * Docker with its older image store reads no layout, but this list of `docker save` (moby/moby image/tarexport). Its paths may
 * lead to the blobs of the layout, as those of `docker save` do since version 25.
 */
function dockerManifest({ name, manifests }: BuiltImage): Uint8Array {
  const [first] = manifests;
  const manifest = first === undefined ? undefined : readManifest(first.bytes);
  if (manifest?.kind !== 'image') throw new TypeError(`${name} must be one image`);
  const pathOf = ({ digest }: { readonly digest: string }): string => `blobs/${digest.replace(':', '/')}`;
  const list = [{ Config: pathOf(manifest.config), RepoTags: [name], Layers: manifest.layers.map(pathOf) }];
  return Buffer.from(JSON.stringify(list));
}
