/** An image that is built here: its configuration, its manifest and, for several processors, its index. */
import {
  encodeImageConfig,
  encodeImageIndex,
  encodeImageManifest,
  mediaTypes,
  type BlobDescriptor,
  type Digest,
  type NewImageConfig,
} from '@tinkerbell/oci';

import type { Architecture } from '../architecture.ts';
import { digestOf, type ImageLayer } from './image-layer.ts';

export interface ImageBlob {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

export interface ImageDocument extends ImageBlob {
  readonly mediaType: string;
}

export interface BuiltImage {
  readonly name: string;
  readonly platforms: readonly string[];
  /** Layers and configurations. */
  readonly blobs: readonly ImageBlob[];
  /** The last one is the image. */
  readonly manifests: readonly ImageDocument[];
}

export interface PlatformLayers {
  readonly architecture: Architecture;
  readonly layers: readonly ImageLayer[];
}

/** How the program of an image runs. */
export type ImageProgram = Omit<NewImageConfig, 'platform' | 'layers'>;

/** Returns an image, or an index of images when there are several processors. */
export function builtImage(
  name: string,
  program: ImageProgram,
  variants: readonly PlatformLayers[],
): BuiltImage {
  const images = variants.map((variant) => platformImage(program, variant));
  const manifests = images.map(({ manifest }) => manifest);
  const index = encodeImageIndex(
    images.map(({ manifest, platform }) => ({ ...descriptorOf(manifest), platform })),
  );
  const top = { mediaType: mediaTypes.imageIndex, digest: digestOf(index), bytes: index };
  return {
    name,
    platforms: images.map(({ platform }) => `${platform.os}/${platform.architecture}`),
    blobs: images.flatMap(({ blobs }) => blobs),
    manifests: manifests.length === 1 ? manifests : [...manifests, top],
  };
}

export function descriptorOf({ mediaType, digest, bytes }: ImageDocument): BlobDescriptor {
  return { mediaType, digest, size: bytes.length };
}

function platformImage(program: ImageProgram, { architecture, layers }: PlatformLayers) {
  const platform = { os: 'linux', architecture: architecture.debian };
  const config = encodeImageConfig({ ...program, platform, layers });
  const bytes = encodeImageManifest({
    config: { mediaType: mediaTypes.imageConfig, digest: digestOf(config), size: config.length },
    layers: layers.map((layer) => descriptorOf({ ...layer, mediaType: mediaTypes.layerGzip })),
  });
  const manifest = { mediaType: mediaTypes.imageManifest, digest: digestOf(bytes), bytes };
  const blobs: readonly ImageBlob[] = [...layers, { digest: digestOf(config), bytes: config }];
  return { platform, manifest, blobs };
}
