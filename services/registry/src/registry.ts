/** What the registry answers, on top of its files. */
import {
  messageOf,
  repeat,
  type Clock,
  type Files,
  type HttpClient,
  type HttpContext,
  type HttpRequest,
  type HttpTarget,
  type Log,
  type OpenOwnedTree,
  type OwnedTree,
  type Random,
} from '@tinkerbell/platform-contract';
import type { IpNetwork } from '@tinkerbell/wire';
import { CHALLENGE, permit, type AccessParts, type ImageVerb } from './access.ts';
import { answerBlob, type BlobParts } from './blob-endpoints.ts';
import { BlobStore } from './blobs.ts';
import { collectGarbage, type GarbageParts, type GarbageReport } from './garbage.ts';
import { Holds } from './holds.ts';
import { pageOf } from './list-page.ts';
import { answerManifest, answerReferrers, answerTags, json } from './manifest-endpoints.ts';
import { checkedDigest, ManifestStore } from './manifests.ts';
import type { RegistryMetrics } from './metrics.ts';
import { mayReach } from './mirror/may-reach.ts';
import { MIRROR_PREFIX, Mirrors } from './mirror/mirrors.ts';
import { createUpstreamRegistry } from './mirror/upstream-registry.ts';
import { RegistryError } from './registry-error.ts';
import { Peers } from './peers.ts';
import { registryTargetOf, type RegistryTarget } from './registry-path.ts';
import { hasManifests, repositoriesIn } from './repositories.ts';
import { Space } from './space.ts';
import { beginUpload, changeUpload, requireMethod, type UploadStores } from './upload-endpoints.ts';
import { Uploads } from './uploads.ts';

export interface RegistryDeps extends Omit<AccessParts, 'anonymousPull'> {
  readonly files: Files;
  readonly openTree: OpenOwnedTree;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly httpClient: HttpClient;
}

export interface RegistryConfig {
  readonly directory: string;
  /** Whoever reaches the server may pull. */
  readonly anonymousPull: boolean;
  /** The limit of all blobs together. Absent: the disk. */
  readonly bytesMax?: number;
  /** Registries whose images are cached as `mirror/<host>/<repository>`. */
  readonly mirrors?: readonly MirrorConfig[];
  /** Default: everywhere but this machine and link-local addresses. */
  readonly mayReach?: (target: HttpTarget) => boolean;
  /** Absent: agents that write the same disk image do not find each other. */
  readonly peers?: {
    /** Whose X-Forwarded-For is believed. */
    readonly trustedProxies: readonly IpNetwork[];
  };
  /** Garbage collection keeps what was pushed or found in this time. Default: an hour. */
  readonly graceMs?: number;
}

export interface MirrorConfig {
  /** The host in the names of images: `quay.io`. */
  readonly host: string;
  /** Without a slash at its end: `https://quay.io`. */
  readonly url: string;
}

const GRACE_MS = 60 * 60 * 1000;
/** Abandoned uploads are looked for, and garbage is collected. */
const SWEEP_INTERVAL_MS = 60 * 60 * 1000;
const PEERS_INTERVAL_MS = 5 * 1000;
const COLLECT_INTERVAL_MS = 24 * 60 * 60 * 1000;
export const GARBAGE_PATH = '/v1/registry/gc';

interface RegistryParts {
  readonly deps: RegistryDeps;
  readonly config: RegistryConfig;
  readonly metrics: RegistryMetrics;
}

export class Registry {
  readonly #tree: OwnedTree;
  readonly #deps: RegistryDeps;
  readonly #access: AccessParts;
  readonly #mirrors: Mirrors;
  readonly #peers: Peers | undefined;
  readonly #parts: GarbageParts & UploadStores & BlobParts;

  constructor(tree: OwnedTree, { deps, config, metrics }: RegistryParts) {
    const { clock, random, files } = deps;
    const holds = new Holds();
    const space = new Space(tree, { bytesMax: config.bytesMax, metrics });
    const stored = { tree, clock, holds, space, graceMs: config.graceMs ?? GRACE_MS, metrics };
    const blobs = new BlobStore(stored);
    const uploads = new Uploads({ ...stored, random, blobs });
    const manifests = new ManifestStore({ tree, blobs, holds });
    this.#mirrors = new Mirrors({
      ...stored,
      log: deps.log,
      blobs,
      manifests,
      uploads,
      upstreams: upstreamsOf(deps, config),
    });
    this.#tree = tree;
    this.#deps = deps;
    this.#access = { ...deps, anonymousPull: config.anonymousPull };
    this.#peers =
      config.peers && new Peers({ access: this.#access, clock, random, metrics, ...config.peers });
    this.#parts = { ...stored, blobs, uploads, manifests, files, directory: tree.path };
  }

  async open(signal: AbortSignal): Promise<void> {
    const { space, uploads } = this.#parts;
    const { clock } = this.#deps;
    await space.measure();
    await uploads.sweep();
    repeat(clock, { everyMs: SWEEP_INTERVAL_MS, signal }, () => this.#tried(() => uploads.sweep()));
    repeat(clock, { everyMs: PEERS_INTERVAL_MS, signal }, () => this.#peers?.count());
    repeat(clock, { everyMs: COLLECT_INTERVAL_MS, signal }, () => this.#tried(() => this.#collect()));
  }

  async answer(request: HttpRequest, context: HttpContext): Promise<Response | undefined> {
    if (new URL(request.url).pathname === GARBAGE_PATH) return this.#garbage(request, context);
    const known = await this.#peers?.answer(request, context);
    if (known !== undefined) return known;
    const target = registryTargetOf(request.url);
    if (target === undefined) return undefined;
    await permit(this.#access, { request, context, verb: verbFor(target, request) });
    const response = await this.#answerAt(await this.#mirrored(target, request), request);
    this.#record(target, { method: request.method, status: response.status, user: context.user?.name });
    return response;
  }

  /** Changes of images go into the log, with who made them. */
  #record(
    target: RegistryTarget,
    {
      method,
      status,
      user,
    }: { readonly method: string; readonly status: number; readonly user: string | undefined },
  ): void {
    const isChange =
      (method === 'PUT' && target.kind === 'manifest') || (method === 'DELETE' && target.kind !== 'upload');
    if (!isChange || status >= 300 || !('reference' in target)) return;
    const { repository, reference } = target;
    const message = method === 'PUT' ? 'image pushed' : 'image deleted';
    this.#deps.log.info(message, { repository, reference, user });
  }

  /** Fetches what a cache of another registry does not have yet. */
  async #mirrored(target: RegistryTarget, { method, url }: HttpRequest): Promise<RegistryTarget> {
    if (!('repository' in target)) return target;
    const isRead = method === 'GET' || method === 'HEAD';
    const repository = isRead ? this.#mirrors.repositoryFor(target.repository, url) : target.repository;
    if (!isRead && method !== 'DELETE' && repository.startsWith(MIRROR_PREFIX))
      throw new RegistryError(
        'DENIED',
        `${MIRROR_PREFIX} has images of other registries; push to another name`,
      );
    if (isRead && target.kind === 'manifest')
      await this.#mirrors.ensureManifest(repository, target.reference);
    if (isRead && target.kind === 'blob')
      await this.#mirrors.ensureBlob(repository, checkedDigest(target.reference));
    return { ...target, repository };
  }

  async #answerAt(target: RegistryTarget, request: HttpRequest): Promise<Response> {
    const parts = this.#parts;
    switch (target.kind) {
      case 'base':
        requireMethod(request, ['GET', 'HEAD']);
        // Some clients send their password only when the first answer asks for it.
        return json({}, { 'docker-distribution-api-version': 'registry/2.0', ...CHALLENGE });
      case 'catalog':
        return this.#catalog(request);
      case 'tags':
        return answerTags(parts, target.repository, request);
      case 'uploads':
        return beginUpload(parts, target.repository, request);
      case 'upload':
        return changeUpload(parts, { repository: target.repository, id: target.reference }, request);
      case 'blob':
        return answerBlob(parts, target, request);
      case 'manifest':
        return answerManifest(parts, target, request);
      case 'referrers':
        return answerReferrers(parts, target, request);
    }
  }

  async #catalog(request: HttpRequest): Promise<Response> {
    requireMethod(request, ['GET', 'HEAD']);
    const names: string[] = [];
    for await (const name of repositoriesIn(this.#tree))
      if (await hasManifests(this.#tree, name)) names.push(name);
    const { items, headers } = pageOf(names.sort(), request.url);
    return json({ repositories: items }, headers);
  }

  async #garbage(request: HttpRequest, context: HttpContext): Promise<Response> {
    requireMethod(request, ['POST']);
    await permit(this.#access, { request, context, verb: 'delete' });
    return json(await this.#collect());
  }

  async #collect(): Promise<GarbageReport> {
    const report = await collectGarbage(this.#parts);
    this.#deps.log.info('garbage of the registry collected', { ...report });
    return report;
  }

  /** Until the next time. */
  async #tried(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      this.#deps.log.warn('clean-up of the registry failed', { error: messageOf(thrown) });
    }
  }
}

function upstreamsOf(
  { httpClient, clock }: RegistryDeps,
  { mirrors = [], mayReach: may = mayReach }: RegistryConfig,
) {
  return new Map(
    mirrors.map(({ host, url }) => [
      host,
      createUpstreamRegistry({ httpClient, clock, url, mayConnect: may }),
    ]),
  );
}

/** An upload is part of a push, also when its state is read. */
function verbFor({ kind }: RegistryTarget, { method }: HttpRequest): ImageVerb {
  if (kind === 'upload' || kind === 'uploads') return 'create';
  if (method === 'GET' || method === 'HEAD') return 'get';
  return method === 'DELETE' ? 'delete' : 'create';
}
