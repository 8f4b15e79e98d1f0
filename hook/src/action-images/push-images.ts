/** Sends the images to a registry. */
import { parseReference, type ImageReference } from '@tinkerbell/oci';
import { createRegistryPush, type RegistrySettings } from '@tinkerbell/registry-client';

import type { BuiltImage, ImageBlob } from './built-image.ts';

export interface PushRequest {
  /** `10.0.0.1:5000/tinkerbell/actions`. */
  readonly target: string;
  readonly tag: string;
  readonly settings: RegistrySettings;
  readonly onProgress: (line: string) => void;
}

export interface SentImage {
  readonly name: string;
  readonly digest: string;
  readonly sentBlobs: number;
  readonly sentBytes: number;
}

/** Rejects with a PlatformError for what the registry refuses. */
export async function pushImages(
  images: readonly BuiltImage[],
  { target, tag, settings, onProgress }: PushRequest,
): Promise<readonly SentImage[]> {
  const registry = createRegistryPush({ settings });
  const sent: SentImage[] = [];
  for (const { name, blobs, manifests } of images) {
    const reference = targetOf({ target, name, tag });
    const totals = await registry.push({ reference, blobs: blobs.map(bodyOf), manifests });
    const shown = `${target}/${name}:${tag}`;
    onProgress(`${shown}: ${totals.sentBlobs} of ${blobs.length} blobs sent`);
    sent.push({ name: shown, digest: manifests.at(-1)?.digest ?? '', ...totals });
  }
  return sent;
}

function bodyOf({ digest, bytes }: ImageBlob) {
  return {
    digest,
    sizeBytes: bytes.length,
    async *chunks() {
      yield bytes;
    },
  };
}

/** @throws Error for a target without a host, which would be a name of Docker Hub. */
export function targetOf({
  target,
  name,
  tag,
}: {
  readonly target: string;
  readonly name: string;
  readonly tag: string;
}): ImageReference {
  const reference = parseReference(`${target}/${name}:${tag}`);
  const isHost = target === reference.registry || target.startsWith(`${reference.registry}/`);
  if (isHost) return reference;
  throw new Error(
    `--push ${target} does not begin with a registry: write HOST/PREFIX, such as 10.0.0.1:5000/tinkerbell/actions`,
  );
}
