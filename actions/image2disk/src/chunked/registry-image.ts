/** A disk image in a registry: its manifest and its index. */
import { createHash } from 'node:crypto';
import {
  ActionError,
  DroppedError,
  getFollowing,
  refusedBy,
  withRetries,
  type RangeRequest,
} from '@tinkerbell/action-kit';
import { DISK_CONFIG_BYTES_MAX, readDiskImage, type DiskImage } from '@tinkerbell/images';
import {
  hexOf,
  isDigest,
  MANIFEST_MAX_BYTES,
  mediaTypes,
  OciError,
  readDigest,
  readManifest,
  type Digest,
} from '@tinkerbell/oci';

const MANIFEST_PATH = /^(.*\/v2\/.+)\/manifests\/([^/]+)$/;

export interface RegistryImage {
  /** Of the manifest. */
  readonly digest: Digest;
  readonly image: DiskImage;
  /** Where a pack is. */
  packUrl(pack: number): URL;
}

/** Whether the address is that of a manifest, and not of a file. */
export function isManifestUrl({ pathname }: URL): boolean {
  return MANIFEST_PATH.test(pathname);
}

/**
 * `sha256` is the hexadecimal digest that the manifest must have.
 *
 * @throws ActionError when the image is absent, damaged or no disk image.
 */
export async function readRegistryImage(
  request: RangeRequest,
  sha256: string | undefined,
): Promise<RegistryImage> {
  const [, base = '', reference = ''] = MANIFEST_PATH.exec(request.url.pathname) ?? [];
  const manifestBytes = await fetchWhole(request, MANIFEST_MAX_BYTES);
  const named = decodeURIComponent(reference);
  assertDigest(manifestBytes, sha256, 'manifest');
  if (isDigest(named) && named.startsWith('sha256:')) assertDigest(manifestBytes, hexOf(named), 'manifest');
  try {
    const manifest = readManifest(manifestBytes);
    if (manifest.kind !== 'image')
      throw new OciError('manifest', 'is an index of images, and not a disk image');
    const blobUrl = (digest: string): URL => new URL(`${base}/blobs/${digest}`, request.url);
    const config = await fetchWhole(
      { ...request, url: blobUrl(manifest.config.digest) },
      DISK_CONFIG_BYTES_MAX,
    );
    assertDigest(config, hexOf(manifest.config.digest), 'index');
    const image = readDiskImage(manifest, config);
    return {
      digest: readDigest(`sha256:${sha256Of(manifestBytes)}`),
      image,
      packUrl: (pack) => blobUrl(image.packs[pack]?.digest ?? ''),
    };
  } catch (cause) {
    if (!(cause instanceof OciError)) throw cause;
    throw new ActionError(
      `${request.url.href} is not a disk image that can be written: ${cause.message}. Add disk images with "tink image add"`,
      { cause },
    );
  }
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function assertDigest(bytes: Uint8Array, wanted: string | undefined, what: string): void {
  const actual = sha256Of(bytes);
  if (wanted === undefined || actual === wanted) return;
  throw new ActionError(
    `the ${what} of the image has the SHA-256 ${actual}, and ${wanted} is wanted: nothing was written`,
  );
}

function fetchWhole(request: RangeRequest, bytesMax: number): Promise<Buffer> {
  return withRetries(request, async () => {
    const headers = { Accept: mediaTypes.imageManifest };
    const { response, url } = await getFollowing(request.url, headers, request.signal);
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      response.destroy();
      throw refusedBy(url, status);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytesMax) throw new ActionError(`${url.href} is larger than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
    const announced = response.headers['content-length'];
    if (announced !== undefined && Number(announced) !== size)
      throw new DroppedError(`the server ended after ${size} of ${announced} bytes`);
    return Buffer.concat(chunks);
  });
}
