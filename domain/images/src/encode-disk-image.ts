import { hexOf, mediaTypes, OciError, type Digest } from '@tinkerbell/oci';
import {
  DISK_CONFIG_BYTES_MAX,
  DISK_CONFIG_TYPE,
  FORMAT_VERSION,
  PACK_TYPE,
  PACKS_MAX,
  type DiskImage,
} from './disk-image.ts';

/** Returns the text of the configuration, one chunk or run a line. Throws an `OciError` when there are too many. */
export function encodeDiskConfig({ diskBytes, chunkBytes, chunks, runs }: DiskImage): string {
  const chunkLines = chunks.map(({ digest, pack, offset, length }) =>
    JSON.stringify([hexOf(digest), pack, offset, length]),
  );
  const runLines = runs.map(({ position, chunk, count }) => JSON.stringify([position, chunk, count]));
  const text =
    `{"version":${FORMAT_VERSION},"diskBytes":${diskBytes},"chunkBytes":${chunkBytes},\n` +
    `"chunks":[${chunkLines.join(',\n')}],\n"runs":[${runLines.join(',\n')}]}\n`;
  if (text.length > DISK_CONFIG_BYTES_MAX)
    throw new OciError(
      'chunks',
      `are ${chunks.length}, and an image has room for about 300,000. Unpack the source into a file first: a disk of a known size above 256 GiB has larger chunks`,
    );
  return text;
}

/** Returns the text of the manifest. `config` describes the bytes of `encodeDiskConfig`. */
export function diskManifest(
  { packs }: Pick<DiskImage, 'packs'>,
  config: { readonly digest: Digest; readonly sizeBytes: number },
): string {
  if (packs.length > PACKS_MAX)
    throw new OciError('packs', `are ${packs.length}; at most ${PACKS_MAX} are allowed`);
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: mediaTypes.imageManifest,
    artifactType: DISK_CONFIG_TYPE,
    config: { mediaType: DISK_CONFIG_TYPE, digest: config.digest, size: config.sizeBytes },
    layers: packs.map(({ digest, sizeBytes }) => ({ mediaType: PACK_TYPE, digest, size: sizeBytes })),
  });
}
