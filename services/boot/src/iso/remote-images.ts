import { PlatformError, type HttpClientResponse } from '@tinkerbell/platform-contract';
import { encodeUtf8 } from '@tinkerbell/wire';
import { mayFetchFrom } from './address-policy.ts';
import { IsoCache } from './cache.ts';
import { downloadImage, type DownloadDeps } from './download.ts';
import type { IsoImage } from './image.ts';
import { IsoIndex } from './magic-index.ts';
import { indexFile } from './own-images.ts';
import { readIsoResponse, shownUrl, sourceProblem, type SourcedIso } from './response.ts';
import { textDigest } from './text-digest.ts';

/** A mount is thousands of requests; the source is asked whether its image has changed at most this often. */
const CHECK_INTERVAL_MS = 60_000;
/** For sources that tell neither ETag nor date: what they have is fetched anew after this time. */
const UNKNOWN_AGE_MAX_MS = 3_600_000;
/** More URLs than operators write; beyond, the first one is asked for again. */
const URLS_MAX = 1_000;

interface Known {
  readonly image: IsoImage;
  /** To ask the source whether it still has the same; absent where it told nothing, or an earlier run fetched it. */
  readonly condition?: Readonly<Record<string, string>>;
  readonly freshUntilMs: number;
}

/**
 * Images of URLs, each fetched once however many machines ask, and kept on disk. A request is answered as soon as the source
 * has told the size; its bytes are sent as they come in. When the source does not answer, what is kept is used.
 */
export class RemoteImages {
  readonly #deps: DownloadDeps;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<IsoImage>>();
  readonly #downloads = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(deps: DownloadDeps) {
    this.#deps = deps;
  }

  /** Rejects with a PlatformError that says what is wrong with the source. */
  async open(url: string): Promise<IsoImage> {
    const known = await this.#usable(url);
    const isFresh = known !== undefined && this.#deps.clock.monotonicMs() < known.freshUntilMs;
    const image = isFresh || known?.image.index.isGrowing === true ? known.image : await this.#askOnce(url);
    await this.#deps.cache.use(image.fileName);
    return image;
  }

  /** Breaks off what is being fetched. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#asking.values(), ...this.#downloads]);
  }

  /** What is known of a URL, if its file is still there and whole, or on its way. */
  async #usable(url: string): Promise<Known | undefined> {
    const known = this.#known.get(url);
    if (known === undefined || known.image.index.failure !== undefined) return undefined;
    const { directory, fileName } = known.image;
    return (await this.#deps.files.stat(directory, fileName)) === undefined ? undefined : known;
  }

  #askOnce(url: string): Promise<IsoImage> {
    const running = this.#asking.get(url);
    if (running !== undefined) return running;
    const asked = this.#ask(url).finally(() => this.#asking.delete(url));
    this.#asking.set(url, asked);
    return asked;
  }

  async #ask(url: string): Promise<IsoImage> {
    const known = await this.#usable(url);
    let sourced: SourcedIso | 'unchanged';
    try {
      sourced = await readIsoResponse(await this.#get(url, known?.condition), url, this.#deps.clock.nowMs());
    } catch (error) {
      if (isRefusal(error)) return this.#evict(url, known, error);
      return this.#keptImage(url, known, error as Error);
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

  /** The image the source answers with: the one that is known, one that an earlier run kept, or a new one. */
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

  /** What was fetched before the source was refused goes too: it would be served as if it still were allowed. */
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
    log.warn('the source of an ISO image does not answer; the kept image is used', {
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
    this.#known.delete(url);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= URLS_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(url, { image, freshUntilMs, ...(condition === undefined ? {} : { condition }) });
    return image;
  }
}

/** The source is where this server may not connect to, now or through a redirect. */
function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.code === 'permission-denied';
}
