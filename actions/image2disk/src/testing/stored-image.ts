/** A disk image of tests, as a registry has it. */
import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { DiskImageBuilder, diskManifest, encodeDiskConfig } from '@tinkerbell/images';
import { readDigest, type Digest } from '@tinkerbell/oci';

export const CHUNK = 64 * 1024;

export const digestOf = (bytes: Uint8Array): Digest =>
  readDigest(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);

export interface Stored {
  readonly disk: Buffer;
  readonly pack: Buffer;
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly manifest: Buffer;
}

/** Forty chunks of noise and a part of one more, which ends within a block. Every fourth chunk is a hole. */
export function stored(): Stored {
  const disk = Buffer.alloc(40 * CHUNK + 777);
  for (let at = 0; at < disk.length; at += 4)
    if (Math.floor(at / CHUNK) % 4 !== 2)
      disk.writeUInt32LE((at * 2654435761) % 2 ** 32, Math.min(at, disk.length - 4));
  const builder = new DiskImageBuilder(CHUNK);
  const packed: Buffer[] = [];
  let offset = 0;
  for (let position = 0; position * CHUNK < disk.length; position += 1) {
    const bytes = disk.subarray(position * CHUNK, (position + 1) * CHUNK);
    if (bytes.every((byte) => byte === 0)) continue;
    const digest = digestOf(bytes);
    const chunk = zstdCompressSync(bytes);
    if (!builder.has(digest)) {
      builder.fill(digest, { offset, length: chunk.length });
      packed.push(chunk);
      offset += chunk.length;
    }
    builder.place(position, digest);
  }
  const pack = Buffer.concat(packed);
  builder.complete({ digest: digestOf(pack), sizeBytes: pack.length });
  const image = builder.finish(disk.length);
  const config = Buffer.from(encodeDiskConfig(image));
  const manifest = Buffer.from(diskManifest(image, { digest: digestOf(config), sizeBytes: config.length }));
  return { disk, pack, manifest, blobs: new Map([config, pack].map((blob) => [digestOf(blob), blob])) };
}
