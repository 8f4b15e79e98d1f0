/** Media types of manifests and layers: OCI image specification v1.1 "media-types", and Docker's equivalents. */
export const mediaTypes = {
  imageIndex: 'application/vnd.oci.image.index.v1+json',
  imageManifest: 'application/vnd.oci.image.manifest.v1+json',
  imageConfig: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  layerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  layerZstd: 'application/vnd.oci.image.layer.v1.tar+zstd',
  empty: 'application/vnd.oci.empty.v1+json',
  dockerManifestList: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerConfig: 'application/vnd.docker.container.image.v1+json',
  dockerLayerGzip: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const;

/** What a client accepts as a manifest, for the `Accept` header. */
export const manifestMediaTypes: readonly string[] = [
  mediaTypes.imageIndex,
  mediaTypes.imageManifest,
  mediaTypes.dockerManifestList,
  mediaTypes.dockerManifest,
];

const indexTypes: readonly string[] = [mediaTypes.imageIndex, mediaTypes.dockerManifestList];

export function isIndexType(mediaType: string): boolean {
  return indexTypes.includes(mediaType);
}

export type LayerCompression = 'none' | 'gzip' | 'zstd';

/** Undefined for a type that is not a layer of a file system. Non-distributable layers count as layers. */
export function layerCompression(mediaType: string): LayerCompression | undefined {
  const match =
    /^application\/vnd\.(?:oci\.image\.layer(?:\.nondistributable)?\.v1|docker\.image\.rootfs(?:\.foreign)?\.diff)\.tar(?:[+.](gzip|zstd))?$/.exec(
      mediaType,
    );
  if (match === null) return undefined;
  const [, compression] = match;
  return compression === 'gzip' || compression === 'zstd' ? compression : 'none';
}
