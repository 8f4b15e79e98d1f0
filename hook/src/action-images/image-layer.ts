/** The layers of an image. The same entries give the same bytes. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

import type { Digest } from '@tinkerbell/oci';

import { withParents } from '../cpio.ts';
import { fromCache, MODIFIED_SECONDS } from '../initramfs-part.ts';
import { encodeTar, type TarEntry } from '../segments/tar.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** Every runtime reads gzip. Docker before 23 does not read zstd. */
const GZIP_LEVEL = 6;

export interface ImageLayer {
  /** Shown in the history of the image. */
  readonly createdBy: string;
  /** Compressed. */
  readonly bytes: Uint8Array;
  readonly digest: Digest;
  /** The digest of the uncompressed layer. */
  readonly diffId: Digest;
}

export interface LayerRequest {
  readonly createdBy: string;
  /** Identifies the layer in the cache. */
  readonly name: string;
  /** Everything that determines the content. */
  readonly inputs: readonly (string | Uint8Array)[];
  readonly cacheDirectory: string;
  readonly entries: () => Promise<readonly TarEntry[]>;
}

/** Returns a layer with the entries and the directories above them, from the cache when its inputs are the same. */
export async function imageLayer(request: LayerRequest): Promise<ImageLayer> {
  const { createdBy, cacheDirectory } = request;
  const inputs = [`${GZIP_LEVEL}/${MODIFIED_SECONDS}/${process.versions.zlib}`, ...request.inputs];
  const bytes = await fromCache({ name: `layer-${request.name}`, inputs, cacheDirectory }, async () =>
    compress(encodeTar(withParents(await request.entries()), MODIFIED_SECONDS), { level: GZIP_LEVEL }),
  );
  return { createdBy, bytes, digest: digestOf(bytes), diffId: digestOf(await decompress(bytes)) };
}

export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
