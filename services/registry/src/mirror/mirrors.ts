/**
 * Pull-through: `mirror/<host>/<repository>` is a cache of a registry that the operator named. What is pulled for the first time is
 * fetched once, verified and stored. Digests never change. Tags are checked again after a while, and the stored image is served
 * while the other registry is unreachable.
 */
import { createHash } from 'node:crypto';
import {
  algorithmOf,
  hexOf,
  isDigest,
  readDigest,
  readManifest,
  repositoryAt,
  type Digest,
} from '@tinkerbell/oci';
import {
  messageOf,
  PlatformError,
  SharedCalls,
  Slots,
  type Clock,
  type Log,
  type OwnedTree,
} from '@tinkerbell/platform-contract';
import type { BlobStore } from '../blobs.ts';
import type { Holds } from '../holds.ts';
import type { ManifestStore } from '../manifests.ts';
import { RegistryError } from '../registry-error.ts';
import { digestOfTag, setTag } from '../tags.ts';
import type { Uploads } from '../uploads.ts';
import type { UpstreamManifest, UpstreamRegistry } from './upstream-registry.ts';

export const MIRROR_PREFIX = 'mirror/';
/** Tags of the other registry are checked again after this time. */
const CHECKED_MS = 5 * 60 * 1000;
/** While the other registry is unreachable, requests do not wait for it each time. */
const RETRIED_MS = 30 * 1000;
/** A machine pulls few blobs at once, and each holds a connection and a file. */
const FETCHES_MAX = 32;
const CHECKS_KEPT_MAX = 10_000;

export interface MirrorParts {
  readonly tree: OwnedTree;
  readonly clock: Clock;
  readonly log: Log;
  readonly holds: Holds;
  readonly blobs: BlobStore;
  readonly manifests: ManifestStore;
  readonly uploads: Uploads;
  /** By the host in the name of a repository. */
  readonly upstreams: ReadonlyMap<string, UpstreamRegistry>;
}

interface Origin {
  readonly upstream: UpstreamRegistry;
  /** Its name there. */
  readonly name: string;
}

export class Mirrors {
  readonly #parts: MirrorParts;
  readonly #checkedMs = new Map<string, number>();
  /** Parallel pulls of one thing share its fetch. */
  readonly #fetches = new SharedCalls<void>();
  readonly #slots = new Slots(FETCHES_MAX);

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  /** Returns the repository of a cache for `?ns=` of containerd, which names the registry there. */
  repositoryFor(repository: string, url: string): string {
    const namespace = new URL(url).searchParams.get('ns');
    if (namespace === null || repository.startsWith(MIRROR_PREFIX)) return repository;
    return this.#parts.upstreams.has(namespace) ? `${MIRROR_PREFIX}${namespace}/${repository}` : repository;
  }

  /** Resolves when the manifest is stored, if it exists. */
  async ensureManifest(repository: string, reference: string): Promise<void> {
    const origin = this.#originOf(repository);
    if (origin === undefined) return;
    const isStored = await this.#parts.manifests.find(repository, reference);
    if (isStored !== undefined && (isDigest(reference) || this.#isFresh(repository, reference))) return;
    const fetch = () => this.#fetchManifest(origin, repository, reference);
    try {
      await this.#fetches.join(`${repository} ${reference}`, fetch);
    } catch (thrown) {
      if (isStored === undefined) throw failureOf(thrown);
      this.#checked(repository, reference, CHECKED_MS - RETRIED_MS);
      this.#parts.log.warn('another registry is unreachable; its stored image is served', {
        repository,
        reference,
        error: messageOf(thrown),
      });
    }
  }

  /** Resolves when the blob is stored, if it exists. */
  async ensureBlob(repository: string, digest: Digest): Promise<void> {
    const origin = this.#originOf(repository);
    if (origin === undefined || (await this.#parts.blobs.find(repository, digest)) !== undefined) return;
    await this.#fetches
      .join(`${repository} ${digest}`, () => this.#fetchBlob(origin, repository, digest))
      .catch((thrown: unknown) => {
        throw failureOf(thrown);
      });
  }

  #originOf(repository: string): Origin | undefined {
    if (!repository.startsWith(MIRROR_PREFIX)) return undefined;
    const [host = '', ...rest] = repository.slice(MIRROR_PREFIX.length).split('/');
    const upstream = this.#parts.upstreams.get(host);
    if (upstream === undefined || rest.length === 0) return undefined;
    return { upstream, name: repositoryAt(host, rest.join('/')) };
  }

  #isFresh(repository: string, tag: string): boolean {
    const checkedMs = this.#checkedMs.get(`${repository}:${tag}`);
    return checkedMs !== undefined && this.#parts.clock.monotonicMs() - checkedMs < CHECKED_MS;
  }

  async #fetchManifest({ upstream, name }: Origin, repository: string, reference: string): Promise<void> {
    const { tree, manifests } = this.#parts;
    if (isDigest(reference))
      return this.#store(repository, reference, await upstream.manifest(name, reference));
    const digest = await upstream.digestOf(name, reference);
    const stored = await digestOfTag(tree, repository, reference);
    if (digest === undefined || digest !== stored) {
      const found = await upstream.manifest(name, reference);
      // The tag was deleted there.
      if (found === undefined) return void (await manifests.remove(repository, reference));
      const actual = digest ?? readDigest(`sha256:${hashOf(found.bytes)}`);
      await this.#store(repository, actual, found);
      await setTag(tree, { repository, tag: reference, digest: actual });
    }
    this.#checked(repository, reference);
  }

  #checked(repository: string, tag: string, agoMs = 0): void {
    if (this.#checkedMs.size >= CHECKS_KEPT_MAX) this.#checkedMs.clear();
    this.#checkedMs.set(`${repository}:${tag}`, this.#parts.clock.monotonicMs() - agoMs);
  }

  async #store(repository: string, digest: Digest, found: UpstreamManifest | undefined): Promise<void> {
    if (found === undefined) return;
    const { bytes, mediaType } = found;
    if (hashOf(bytes, algorithmOf(digest)) !== hexOf(digest))
      throw new PlatformError('damaged', `the manifest ${digest} has another digest`);
    const manifest = readManifest(bytes, mediaType);
    using _held = await this.#parts.holds.hold([digest]);
    await this.#parts.manifests.write({ repository, digest, manifest, bytes });
  }

  async #fetchBlob({ upstream, name }: Origin, repository: string, digest: Digest): Promise<void> {
    const release = this.#slots.take();
    if (release === undefined)
      throw new RegistryError('TOOMANYREQUESTS', `${FETCHES_MAX} blobs are being fetched; try again`, {
        headers: { 'retry-after': '5' },
      });
    try {
      const blob = await upstream.blob(name, digest);
      if (blob === undefined) return;
      const { uploads } = this.#parts;
      const place = await uploads.begin(repository);
      await uploads.finish(place, blob, digest).catch(async (thrown: unknown) => {
        await uploads.cancel(place).catch(() => undefined);
        throw thrown;
      });
    } finally {
      release();
    }
  }
}

function hashOf(bytes: Uint8Array, algorithm = 'sha256'): string {
  return createHash(algorithm).update(bytes).digest('hex');
}

/** Limits of this registry are reported as such. Everything else is the fault of the other one. */
function failureOf(thrown: unknown): unknown {
  const isOwn =
    thrown instanceof RegistryError && thrown.code !== 'DIGEST_INVALID' && thrown.code !== 'SIZE_INVALID';
  if (isOwn || (thrown instanceof PlatformError && thrown.code === 'disk-full')) return thrown;
  return new RegistryError(
    'UPSTREAM_UNAVAILABLE',
    `cannot pull from the other registry: ${messageOf(thrown)}`,
  );
}
