/** One image: its configuration, its manifest and, for several processors, its index. */
import {
  encodeImageConfig,
  encodeImageIndex,
  encodeImageManifest,
  mediaTypes,
  type BlobDescriptor,
  type Digest,
} from '@tinkerbell/oci';

import type { Architecture } from '../architecture.ts';
import { MODIFIED_SECONDS } from '../initramfs-part.ts';
import type { ActionRecipe } from './action-recipes.ts';
import { digestOf, type ImageLayer } from './image-layer.ts';

const CREATED = new Date(MODIFIED_SECONDS * 1000).toISOString().replace('.000Z', 'Z');
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface ImageBlob {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

export interface ImageDocument extends ImageBlob {
  readonly mediaType: string;
}

export interface ActionImage {
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

/** Returns an image, or an index of images when there are several processors. */
export function actionImage(recipe: ActionRecipe, variants: readonly PlatformLayers[]): ActionImage {
  const images = variants.map((variant) => platformImage(recipe, variant));
  const manifests = images.map(({ manifest }) => manifest);
  const index = encodeImageIndex(
    images.map(({ manifest, platform }) => ({ ...descriptorOf(manifest), platform })),
  );
  const top = { mediaType: mediaTypes.imageIndex, digest: digestOf(index), bytes: index };
  return {
    name: recipe.name,
    platforms: images.map(({ platform }) => `${platform.os}/${platform.architecture}`),
    blobs: images.flatMap(({ blobs }) => blobs),
    manifests: manifests.length === 1 ? manifests : [...manifests, top],
  };
}

export function descriptorOf({ mediaType, digest, bytes }: ImageDocument): BlobDescriptor {
  return { mediaType, digest, size: bytes.length };
}

function platformImage(recipe: ActionRecipe, { architecture, layers }: PlatformLayers) {
  const platform = { os: 'linux', architecture: architecture.debian };
  const config = encodeImageConfig({
    platform,
    created: CREATED,
    entrypoint: [
      '/usr/bin/node',
      '--disable-warning=ExperimentalWarning',
      '/usr/lib/tinkerbell/action.mjs',
      recipe.name,
    ],
    environment: [`PATH=${PATH}`],
    labels: {
      'org.opencontainers.image.title': recipe.name,
      'org.opencontainers.image.description': recipe.title,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
    layers,
  });
  const bytes = encodeImageManifest({
    config: { mediaType: mediaTypes.imageConfig, digest: digestOf(config), size: config.length },
    layers: layers.map((layer) => descriptorOf({ ...layer, mediaType: mediaTypes.layerGzip })),
  });
  const manifest = { mediaType: mediaTypes.imageManifest, digest: digestOf(bytes), bytes };
  const blobs: readonly ImageBlob[] = [...layers, { digest: digestOf(config), bytes: config }];
  return { platform, manifest, blobs };
}
