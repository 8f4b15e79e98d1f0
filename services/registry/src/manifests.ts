/** Manifests of repositories, by tag and by digest. */
import { createHash } from 'node:crypto';
import {
  algorithmOf,
  hexOf,
  isDigest,
  isTag,
  MANIFEST_MAX_BYTES,
  readDigest,
  readManifest,
  type Digest,
  type Manifest,
} from '@tinkerbell/oci';
import type { OwnedTree } from '@tinkerbell/platform-contract';
import type { BlobStore } from './blobs.ts';
import type { Holds } from './holds.ts';
import { blobPath, manifestPath, shelfPath, tagPath, digestOfFileName } from './layout.ts';
import { addReferrer, removeReferrer } from './referrers.ts';
import { RegistryError } from './registry-error.ts';
import { digestOfTag, removeTagsOf, setTag } from './tags.ts';

export interface StoredManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface PushedManifest {
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
  /** Further tags. */
  readonly tags: readonly string[];
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
}

export interface ManifestParts {
  readonly tree: OwnedTree;
  readonly blobs: BlobStore;
  readonly holds: Holds;
}

/** A request names at most this many tags at once. */
const TAGS_AT_ONCE_MAX = 16;

export class ManifestStore {
  readonly #parts: ManifestParts;

  constructor(parts: ManifestParts) {
    this.#parts = parts;
  }

  /** Returns undefined for a manifest that the repository does not have. */
  async find(repository: string, reference: string): Promise<StoredManifest | undefined> {
    const { tree } = this.#parts;
    const digest = await this.digestOf(repository, reference);
    if (digest === undefined) return undefined;
    const mediaType = await tree.read(manifestPath(repository, digest));
    const bytes = mediaType && (await tree.read(blobPath(digest)));
    if (mediaType === undefined || bytes === undefined) return undefined;
    return { digest, mediaType: new TextDecoder().decode(mediaType), bytes };
  }

  /** Returns the digest that a reference names. Throws a RegistryError for a reference that is neither a tag nor a digest. */
  async digestOf(repository: string, reference: string): Promise<Digest | undefined> {
    if (reference.includes(':')) return checkedDigest(reference);
    return digestOfTag(this.#parts.tree, repository, checkedTag(reference));
  }

  /** Stores a manifest whose blobs the repository has. Returns its digest, and that of its subject. */
  async put(pushed: PushedManifest): Promise<{ digest: Digest; subject: Digest | undefined }> {
    const { repository, reference, bytes, contentType } = pushed;
    const tags = [...(reference.includes(':') ? [] : [reference]), ...pushed.tags].map(checkedTag);
    if (tags.length > TAGS_AT_ONCE_MAX)
      throw new RegistryError('MANIFEST_INVALID', `a push may name at most ${TAGS_AT_ONCE_MAX} tags`);
    const digest = verifiedDigest(reference, bytes);
    const manifest = readManifest(bytes, contentType);
    checkMediaType(manifest.mediaType);
    const needed = neededBy(manifest);
    using _held = await this.#parts.holds.hold([digest, ...needed.blobs, ...needed.manifests]);
    await this.#requireAll(repository, needed);
    await this.write({ repository, digest, manifest, bytes });
    for (const tag of tags) await setTag(this.#parts.tree, { repository, tag, digest });
    return { digest, subject: manifest.subject?.digest };
  }

  /** Stores a manifest without a look at its blobs. The caller holds the digest. */
  async write(
    stored: Readonly<{ repository: string; digest: Digest; manifest: Manifest; bytes: Uint8Array }>,
  ): Promise<void> {
    const { repository, digest, manifest, bytes } = stored;
    const { tree, blobs } = this.#parts;
    await blobs.store(digest, bytes);
    await addReferrer(tree, stored);
    await tree.write(manifestPath(repository, digest), new TextEncoder().encode(manifest.mediaType));
  }

  /** Removes a tag, or a manifest with its tags. Returns false when there is none. */
  async remove(repository: string, reference: string): Promise<boolean> {
    const { tree } = this.#parts;
    const digest = await this.digestOf(repository, reference);
    if (digest === undefined) return false;
    if (!reference.includes(':')) {
      await tree.remove(tagPath(repository, reference));
      return true;
    }
    const found = await this.find(repository, reference);
    if (found === undefined) return false;
    await removeTagsOf(tree, repository, digest);
    await removeReferrer(tree, { repository, digest, manifest: readManifest(found.bytes, found.mediaType) });
    await tree.remove(manifestPath(repository, digest));
    return true;
  }

  /** The digests of all manifests of a repository. */
  async list(repository: string): Promise<readonly Digest[]> {
    const entries = await this.#parts.tree.list(shelfPath(repository, '_manifests'));
    return entries.flatMap(({ name }) => digestOfFileName(name) ?? []);
  }

  async #requireAll(repository: string, needed: ReturnType<typeof neededBy>): Promise<void> {
    const { tree, blobs } = this.#parts;
    for (const digest of needed.blobs)
      if ((await blobs.find(repository, digest)) === undefined) throw missing('blob', digest);
    for (const digest of needed.manifests)
      if ((await tree.stat(manifestPath(repository, digest))) === undefined)
        throw missing('manifest', digest);
  }
}

/** What a manifest needs, each once. Clients do not push layers that must not be distributed. */
export function neededBy(manifest: Manifest): {
  readonly blobs: readonly Digest[];
  readonly manifests: readonly Digest[];
} {
  if (manifest.kind === 'index')
    return { blobs: [], manifests: [...new Set(manifest.manifests.map(({ digest }) => digest))] };
  const layers = manifest.layers.filter(
    ({ mediaType }) => !/\.(?:nondistributable|foreign)\./.test(mediaType),
  );
  return {
    blobs: [...new Set([manifest.config, ...layers].map(({ digest }) => digest))],
    manifests: [],
  };
}

export function checkedDigest(text: string): Digest {
  if (isDigest(text)) return text;
  throw new RegistryError(
    'DIGEST_INVALID',
    `${JSON.stringify(text.slice(0, 200))} is not a digest; write sha256: and 64 hexadecimal digits`,
  );
}

function checkedTag(text: string): string {
  if (isTag(text)) return text;
  throw new RegistryError(
    'MANIFEST_INVALID',
    `${JSON.stringify(text.slice(0, 200))} is not a tag; use at most 128 letters, digits, "_", "." and "-"`,
  );
}

function verifiedDigest(reference: string, bytes: Uint8Array): Digest {
  if (bytes.length > MANIFEST_MAX_BYTES)
    throw new RegistryError('MANIFEST_INVALID', `the manifest is larger than ${MANIFEST_MAX_BYTES} bytes`, {
      status: 413,
    });
  const wanted = reference.includes(':') ? checkedDigest(reference) : undefined;
  const algorithm = wanted === undefined ? 'sha256' : algorithmOf(wanted);
  const hex = createHash(algorithm).update(bytes).digest('hex');
  if (wanted !== undefined && hexOf(wanted) !== hex)
    throw new RegistryError(
      'DIGEST_INVALID',
      `the manifest has the digest ${algorithm}:${hex}, not ${wanted}`,
    );
  return readDigest(`${algorithm}:${hex}`);
}

/** The type becomes a header of answers. */
function checkMediaType(mediaType: string): void {
  if (/^[\w.+-]{1,100}\/[\w.+-]{1,150}$/.test(mediaType)) return;
  throw new RegistryError(
    'MANIFEST_INVALID',
    `mediaType: ${JSON.stringify(mediaType.slice(0, 200))} is invalid`,
  );
}

function missing(what: string, digest: Digest): RegistryError {
  return new RegistryError(
    'MANIFEST_BLOB_UNKNOWN',
    `the repository does not have the ${what} ${digest}; push it before the manifest`,
  );
}
