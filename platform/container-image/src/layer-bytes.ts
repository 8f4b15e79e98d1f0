/** The uncompressed bytes of a layer, counted and hashed. */
import { createHash } from 'node:crypto';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { algorithmOf, hexOf, type Digest, type LayerCompression } from '@tinkerbell/oci';
import { messageOf, PlatformError } from '@tinkerbell/platform-contract';

const DECODER = { chunkSize: 256 * 1024 } as const;

export interface CompressedLayer {
  readonly bytes: AsyncIterable<Buffer>;
  readonly compression: LayerCompression;
  /** The digest of the uncompressed layer. */
  readonly diffId: Digest;
  /** A layer that unpacks to more is refused. */
  readonly maxBytes: number;
}

/** Yields the bytes. Fails with a PlatformError after the last one unless they have the digest. */
export async function* layerBytes(layer: CompressedLayer): AsyncGenerator<Buffer, void> {
  const hash = createHash(algorithmOf(layer.diffId));
  let length = 0;
  for await (const chunk of uncompressed(layer)) {
    length += chunk.length;
    if (length > layer.maxBytes)
      throw new PlatformError(
        'too-large',
        `a layer unpacks to more than the ${layer.maxBytes} bytes that are free`,
      );
    hash.update(chunk);
    yield chunk;
  }
  const actual = hash.digest('hex');
  if (actual !== hexOf(layer.diffId))
    throw new PlatformError('damaged', `a layer unpacks to the digest ${actual}, not ${layer.diffId}`);
}

async function* uncompressed({ bytes, compression }: CompressedLayer): AsyncGenerator<Buffer, void> {
  if (compression === 'none') {
    yield* bytes;
    return;
  }
  const decoder: Transform = compression === 'gzip' ? createGunzip(DECODER) : createZstdDecompress(DECODER);
  const fed = pipeline(bytes, decoder);
  // The loop below reports it.
  fed.catch(() => undefined);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) yield chunk;
    await fed;
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause;
    throw new PlatformError('damaged', `a layer is not valid ${compression}: ${messageOf(cause)}`, { cause });
  } finally {
    decoder.destroy();
  }
}
