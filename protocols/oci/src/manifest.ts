/** Manifests and indexes of the OCI image specification v1.1, and Docker's schema 2, as values. */
import { readDigest, type Digest } from './digest.ts';
import { listAt, objectAt, optionalString, parseJson, sizeAt, stringAt, stringMapAt } from './json-fields.ts';
import { isIndexType, mediaTypes } from './media-type.ts';
import { OciError } from './oci-error.ts';
import { readPlatform, type Platform } from './platform.ts';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly artifactType?: string;
}

export interface ImageManifest {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly config: Descriptor;
  /** Base first. */
  readonly layers: readonly Descriptor[];
  /** The manifest that this one refers to (referrers API). */
  readonly subject?: Descriptor;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ImageIndex {
  readonly kind: 'index';
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly manifests: readonly (Descriptor & { readonly platform?: Platform })[];
  readonly subject?: Descriptor;
  readonly annotations: Readonly<Record<string, string>>;
}

export type Manifest = ImageManifest | ImageIndex;

/** The specification asks registries to accept 4 MiB ("Pushing manifests"), and most refuse more. */
export const MANIFEST_MAX_BYTES = 4 * 1024 * 1024;
const ENTRIES_MAX = 1024;

/**
 * `contentType` is the header of the request or response, without parameters. The manifest's own `mediaType` has precedence and must
 * not contradict it. Throws an `OciError` that names the field.
 */
export function readManifest(bytes: Uint8Array, contentType?: string): Manifest {
  if (bytes.length > MANIFEST_MAX_BYTES)
    throw new OciError('manifest', `is larger than ${MANIFEST_MAX_BYTES} bytes`);
  const json = parseJson(bytes, 'manifest');
  if (json['schemaVersion'] !== 2)
    throw new OciError(
      'schemaVersion',
      `is ${JSON.stringify(json['schemaVersion']) ?? 'absent'}; only 2 is supported`,
    );
  const mediaType = manifestType(
    optionalString(json['mediaType'], 'mediaType'),
    contentType,
    Array.isArray(json['manifests']),
  );
  const artifactType = optionalString(json['artifactType'], 'artifactType');
  const subject =
    json['subject'] === undefined || json['subject'] === null
      ? undefined
      : readDescriptor(json['subject'], 'subject');
  const shared = {
    mediaType,
    ...(artifactType === undefined ? {} : { artifactType }),
    ...(subject === undefined ? {} : { subject }),
    annotations: stringMapAt(json['annotations'], 'annotations'),
  };
  if (isIndexType(mediaType)) {
    if (json['layers'] !== undefined) throw new OciError('layers', 'an index must not have layers');
    const manifests = listAt(json['manifests'], 'manifests', ENTRIES_MAX).map((item, index) =>
      indexEntry(item, `manifests[${index}]`),
    );
    return { kind: 'index', ...shared, manifests };
  }
  if (json['manifests'] !== undefined)
    throw new OciError('manifests', 'an image manifest must not have manifests');
  return {
    kind: 'image',
    ...shared,
    config: readDescriptor(json['config'], 'config'),
    layers: listAt(json['layers'], 'layers', ENTRIES_MAX).map((item, index) =>
      readDescriptor(item, `layers[${index}]`),
    ),
  };
}

function manifestType(own: string | undefined, contentType: string | undefined, isList: boolean): string {
  if (own !== undefined && contentType !== undefined && own !== contentType)
    throw new OciError('mediaType', `is ${own}, and the Content-Type is ${contentType}`);
  return own ?? contentType ?? (isList ? mediaTypes.imageIndex : mediaTypes.imageManifest);
}

export function readDescriptor(value: unknown, field: string): Descriptor {
  const json = objectAt(value, field);
  const artifactType = optionalString(json['artifactType'], `${field}.artifactType`);
  return {
    mediaType: stringAt(json['mediaType'], `${field}.mediaType`),
    digest: readDigest(stringAt(json['digest'], `${field}.digest`), `${field}.digest`),
    size: sizeAt(json['size'], `${field}.size`),
    annotations: stringMapAt(json['annotations'], `${field}.annotations`),
    ...(artifactType === undefined ? {} : { artifactType }),
  };
}

function indexEntry(value: unknown, field: string): Descriptor & { readonly platform?: Platform } {
  const platform = objectAt(value, field)['platform'];
  const descriptor = readDescriptor(value, field);
  if (platform === undefined || platform === null) return descriptor;
  return { ...descriptor, platform: readPlatform(platform, `${field}.platform`) };
}
