/**
 * The documents of an image that is built here: OCI image specification v1.1, "config", "manifest" and "image-index".
 * The same input gives the same bytes.
 */
import { encodeUtf8 } from '@tinkerbell/wire';
import type { Digest } from './digest.ts';
import { mediaTypes } from './media-type.ts';
import type { Platform } from './platform.ts';

/** What one document says about another: type, digest and size in bytes. */
export interface BlobDescriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface NewImageConfig {
  readonly platform: Platform;
  /** RFC 3339. */
  readonly created: string;
  readonly entrypoint: readonly string[];
  /** `NAME=value`. */
  readonly environment: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** `uid:gid` (default: root). */
  readonly user?: string;
  /** `67/udp`. For people and tools: no port is opened. */
  readonly exposedPorts?: readonly string[];
  /** Folders that outlive a container. */
  readonly volumes?: readonly string[];
  /** From the lowest to the highest, with the digest of the uncompressed layer. */
  readonly layers: readonly { readonly diffId: Digest; readonly createdBy: string }[];
}

/** Returns the bytes of an image configuration. */
export function encodeImageConfig(config: NewImageConfig): Uint8Array {
  const { platform, created, layers } = config;
  return jsonBytes({
    created,
    architecture: platform.architecture,
    os: platform.os,
    ...(platform.variant === undefined ? {} : { variant: platform.variant }),
    config: {
      ...(config.user === undefined ? {} : { User: config.user }),
      ...(config.exposedPorts === undefined ? {} : { ExposedPorts: setOf(config.exposedPorts) }),
      ...(config.volumes === undefined ? {} : { Volumes: setOf(config.volumes) }),
      Entrypoint: config.entrypoint,
      Env: config.environment,
      Labels: config.labels,
      WorkingDir: '/',
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ createdBy }) => ({ created, created_by: createdBy })),
  });
}

/** A set is a map to empty objects, because Go has no sets. */
function setOf(names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** Returns the bytes of an image manifest, whose media type is `mediaTypes.imageManifest`. */
export function encodeImageManifest(image: {
  readonly config: BlobDescriptor;
  readonly layers: readonly BlobDescriptor[];
}): Uint8Array {
  return jsonBytes({ schemaVersion: 2, mediaType: mediaTypes.imageManifest, ...image });
}

/** Returns the bytes of an image index: of the platforms of one image, or of the images of a layout. */
export function encodeImageIndex(
  manifests: readonly (BlobDescriptor & { readonly platform?: Platform })[],
): Uint8Array {
  return jsonBytes({ schemaVersion: 2, mediaType: mediaTypes.imageIndex, manifests });
}

function jsonBytes(document: object): Uint8Array {
  return encodeUtf8(JSON.stringify(document));
}
