import {
  errorOf,
  PlatformError,
  setLatest,
  SharedCalls,
  type HttpClientResponse,
} from '@tinkerbell/platform-contract';
import { encodeUtf8 } from '@tinkerbell/wire';
import { mayFetchFrom } from './address-policy.ts';
import { IsoCache } from './cache.ts';
import { downloadImage, type DownloadDeps } from './download.ts';
import type { IsoImage } from './image.ts';
import { IsoIndex } from './magic-index.ts';
import { indexFile } from './own-images.ts';
import { readIsoResponse, shownUrl, sourceProblem, type SourcedIso } from './response.ts';
import { textDigest } from './text-digest.ts';

/** A mount is thousands of requests. The source is asked at most this often whether its image has changed. */
const CHECK_INTERVAL_MS = 60_000;
/** For sources that send neither ETag nor date: their image is fetched again after this time. */
const UNKNOWN_AGE_MAX_MS = 3_600_000;
/** More URLs than operators write. Beyond this number, the oldest entry is dropped and its source is asked again. */
const URLS_MAX = 1_000;

interface Known {
  readonly image: IsoImage;
  /** Validators for a conditional request. Absent when the source sent none, or when an earlier run fetched the image. */
  readonly condition?: Readonly<Record<string, string>>;
  readonly freshUntilMs: number;
}

/**
 * Caches images of URLs on disk. Each is fetched once, however many machines request it. A request is answered as soon as the
 * source has sent the size, and bytes are sent as they arrive. When the source does not answer, the cached image is used.
 */
export class RemoteImages {
  readonly #deps: DownloadDeps;
  readonly #known = new Map<string, Known>();
  readonly #asking = new SharedCalls<IsoImage>();
  readonly #downloads = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(deps: DownloadDeps) {
    this.#deps = deps;
  }

  /** Rejects with a PlatformError that states the problem of the source. */
  async open(url: string): Promise<IsoImage> {
    const known = await this.#usable(url);
    const isFresh = known !== undefined && this.#deps.clock.monotonicMs() < known.freshUntilMs;
    const image =
      isFresh || known?.image.index.isGrowing === true
        ? known.image
        : await this.#asking.join(url, () => this.#ask(url));
    await this.#deps.cache.use(image.fileName);
    return image;
  }

  /** Cancels active downloads. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#asking.running(), ...this.#downloads]);
  }

  /** Returns what is known of a URL, if its file still exists complete or is being downloaded. */
  async #usable(url: string): Promise<Known | undefined> {
    const known = this.#known.get(url);
    if (known === undefined || known.image.index.failure !== undefined) return undefined;
    const { directory, fileName } = known.image;
    return (await this.#deps.files.stat(directory, fileName)) === undefined ? undefined : known;
  }

  async #ask(url: string): Promise<IsoImage> {
    const known = await this.#usable(url);
    let sourced: SourcedIso | 'unchanged';
    try {
      sourced = await readIsoResponse(await this.#get(url, known?.condition), url, this.#deps.clock.nowMs());
    } catch (error) {
      if (isRefusal(error)) return this.#evict(url, known, error);
      return this.#keptImage(url, known, errorOf(error));
    }
    if (sourced === 'unchanged' && known !== undefined)
      return this.#remember(url, known.image, known.condition);
    if (sourced === 'unchanged') throw sourceProblem(url, 'it answered 304 to an unconditional request');
    return this.#take(url, known, sourced);
  }

  #get(url: string, condition: Readonly<Record<string, string>> | undefined): Promise<HttpClientResponse> {
    const { httpClient, config } = this.#deps;
    const rules = { isOwnChoice: url === config.upstreamUrl, allowed: config.allowed };
    return httpClient.get(url, {
      headers: { ...condition },
      mayConnect: (target) => mayFetchFrom(target, rules),
      signal: this.#stopping.signal,
    });
  }

  /** Returns the image that the source answers with: the known one, one from an earlier run, or a new one. */
  async #take(url: string, known: Known | undefined, sourced: SourcedIso): Promise<IsoImage> {
    const { cache, metrics } = this.#deps;
    const { sizeBytes, validator, condition, response } = sourced;
    const key = { url: await textDigest(url), validator: await textDigest(validator), sizeBytes };
    const fileName = IsoCache.nameOf(key);
    const isKnown = known?.image.fileName === fileName;
    if (isKnown || cache.hasWhole(fileName)) {
      await response.body.cancel();
      metrics.isoSourceRequests.add({ outcome: 'unchanged' });
      const image = isKnown ? known.image : this.#onDisk(url, fileName, sizeBytes);
      return this.#remember(url, image, condition);
    }
    const image = this.#imageOf(url, fileName, sizeBytes);
    const { ended } = await downloadImage(this.#deps, image, response);
    this.#downloads.add(ended);
    void ended.then(() => this.#downloads.delete(ended));
    return this.#remember(url, image, condition);
  }

  /**
   * Also removes the image that was fetched before its source was refused. Otherwise it would be served as if
   * it were still allowed.
   */
  async #evict(url: string, known: Known | undefined, refusal: PlatformError): Promise<never> {
    const { cache, metrics } = this.#deps;
    const kept = known?.image.fileName ?? cache.find(await textDigest(url))?.name;
    this.#known.delete(url);
    if (kept !== undefined) await cache.remove(kept);
    metrics.isoSourceRequests.add({ outcome: 'refused' });
    throw refusal;
  }

  async #keptImage(url: string, known: Known | undefined, error: Error): Promise<IsoImage> {
    const { cache, metrics, log } = this.#deps;
    const kept = known === undefined ? cache.find(await textDigest(url)) : undefined;
    if (known === undefined && kept === undefined) {
      metrics.isoSourceRequests.add({ outcome: 'failed' });
      throw error;
    }
    metrics.isoSourceRequests.add({ outcome: 'kept-image-used' });
    log.warn('the source of an ISO image does not answer; the cached image is used', {
      url: shownUrl(url),
      error: error.message,
    });
    const image = known?.image ?? this.#onDisk(url, kept?.name ?? '', kept?.sizeBytes ?? 0);
    return this.#remember(url, image, known?.condition);
  }

  #onDisk(url: string, fileName: string, sizeBytes: number): IsoImage {
    const image = this.#imageOf(url, fileName, sizeBytes);
    void indexFile(this.#deps.files, image);
    return image;
  }

  #imageOf(url: string, fileName: string, sizeBytes: number): IsoImage {
    const { cache, config } = this.#deps;
    const index = new IsoIndex(encodeUtf8(config.magic));
    const directory = cache.directory.path;
    return { directory, fileName, sizeBytes, validator: fileName, index, from: shownUrl(url) };
  }

  #remember(url: string, image: IsoImage, condition: Known['condition']): IsoImage {
    const lifeMs = condition === undefined ? UNKNOWN_AGE_MAX_MS : CHECK_INTERVAL_MS;
    const freshUntilMs = this.#deps.clock.monotonicMs() + lifeMs;
    const known = { image, freshUntilMs, ...(condition === undefined ? {} : { condition }) };
    setLatest(this.#known, [url, known], URLS_MAX);
    return image;
  }
}

/** The source is at an address that this server may not connect to, directly or through a redirect. */
function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'permission-denied';
}
