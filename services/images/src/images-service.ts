import {
  PlatformError,
  SESSION_HEADER,
  StreamResponse,
  WholeResponse,
  type Awaitable,
  type Clock,
  type Files,
  type HttpContext,
  type HttpPeer,
  type HttpRequest,
  type HttpRoute,
  type Log,
  type Service,
  type SessionVerifier,
  type StreamProgress,
} from '@tinkerbell/platform-contract';
import { answerFor, bytesOf, multipartStream, type ByteRange } from '@tinkerbell/engine-file-answers';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { parseMac } from '@tinkerbell/wire';
import { encodingsFor, type Encoding } from './encoded-variant.ts';
import { DescribedFiles } from './described-file.ts';
import { HotFiles, type SeenFile } from './hot-files.ts';
import { imagePathOf } from './image-path.ts';
import { countsOf, createImagesMetrics, type ImagesMetrics } from './metrics.ts';
import { promptFiles } from './prompt-files.ts';
import { reportWhole, transferProgress, type OnTransfer, type TransferProgress } from './transfer.ts';

export interface ImagesDeps {
  /** Absent: agents have no sessions, and private files are not served. */
  readonly agentSessions?: SessionVerifier;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every GET that sends bytes. It must not throw. */
  readonly onTransfer: OnTransfer;
  /** Called for every request of a missing file. It must not throw. */
  readonly onMissing: (peer: HttpPeer, path: string) => void;
}

export interface ImagesConfig {
  /** The directory of the files. Links that leave it are not followed. */
  readonly directory: string;
  /** URL path prefix, ending in a slash. */
  readonly prefix: string;
  /**
   * A folder below the directory, ending in a slash, that is visible only to agents with a live session. Absent: no private
   * folder. A folder in it that is named after a MAC is for that machine alone.
   */
  readonly privateFolder?: string;
}

/**
 * Serves files of a directory by GET and HEAD, with ranges, validators, conditional requests and compressed variants (RFC 9110).
 * It has no listings.
 */
export function createImagesService(deps: ImagesDeps, config: ImagesConfig): Service {
  const set = new MetricSet();
  const files = new ImageFiles(deps, config, createImagesMetrics(set));
  const ended = Promise.withResolvers<void>();
  return {
    name: 'images',
    routes: routesFor(config, files),
    metrics: set,
    async start(signal) {
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health: () => ({ ready: true }),
  };
}

/** The session that opens the private folder is verified at the file, whatever the spelling of the path. */
function routesFor({ prefix, privateFolder }: ImagesConfig, files: ImageFiles): readonly HttpRoute[] {
  const route = { name: 'images', handle: files.answer.bind(files) };
  const all: HttpRoute = { ...route, prefix, access: 'public' };
  return privateFolder === undefined
    ? [all]
    : [{ ...route, prefix: `${prefix}${privateFolder}`, access: 'agent' }, all];
}

/** The file that is sent for a path. */
interface Variant {
  readonly file: SeenFile;
  readonly filePath: string;
  readonly encoding?: Encoding['name'];
}

interface Encodable {
  readonly path: string;
  readonly file: SeenFile;
  /** What the client accepts, best first. */
  readonly encodings: readonly Encoding[];
}

interface Wanted {
  readonly peer: HttpPeer;
  readonly path: string;
  readonly file: Awaitable<SeenFile | undefined>;
  readonly encodings: readonly Encoding[];
}

interface Found extends Variant {
  readonly peer: HttpPeer;
  /** The path as requested. */
  readonly path: string;
}

const RETRY_AFTER_SECONDS = '5';

class ImageFiles {
  readonly #deps: ImagesDeps;
  readonly #config: ImagesConfig;
  readonly #seen: HotFiles;
  readonly #described = new DescribedFiles();
  readonly #counts: ReturnType<typeof countsOf>;
  #lastId = 0;

  constructor(deps: ImagesDeps, config: ImagesConfig, metrics: ImagesMetrics) {
    this.#deps = deps;
    this.#config = config;
    this.#counts = countsOf(metrics, config.prefix);
    const { files, clock } = deps;
    this.#seen = new HotFiles(config.directory, { files: promptFiles(files, clock), clock });
  }

  answer(request: HttpRequest, { peer }: HttpContext): Awaitable<Response> {
    this.#counts.requests.add();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new WholeResponse('only GET and HEAD\n', {
        status: 405,
        headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8' },
      });
    }
    const path = imagePathOf(request.url, this.#config.prefix);
    if (path === undefined) return this.#missing(peer, new URL(request.url).pathname);
    const file = this.#seen.see(path);
    const encodings = encodingsFor(request.headers.get('accept-encoding'));
    const isPlain = encodings.length === 0 && !(file instanceof Promise) && file !== undefined;
    if (isPlain && this.#ownedNamesOf(path, file).length === 0)
      return this.#found(request, { peer, path, file, filePath: path });
    return this.#search(request, { peer, path, file, encodings });
  }

  async #search(request: HttpRequest, { peer, path, file: seen, encodings }: Wanted): Promise<Response> {
    try {
      const file = await seen;
      if (file?.info.isFile !== true || !(await this.#mayHave(request, path, file)))
        return this.#missing(peer, path);
      const variant =
        encodings.length === 0
          ? { file, filePath: path }
          : await this.#variantOf(request, { path, file, encodings });
      return this.#found(request, { peer, path, ...variant });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return this.#unavailable(path, error);
    }
  }

  /** Returns the compressed file beside it, when the client can decode it and it is at least as new as the plain one. */
  async #variantOf(request: HttpRequest, { path, file, encodings }: Encodable): Promise<Variant> {
    for (const { name, extension } of encodings) {
      const filePath = path + extension;
      const variant = await this.#seen.see(filePath);
      if (variant?.info.isFile !== true || variant.info.modifiedMs < file.info.modifiedMs) continue;
      if (await this.#mayHave(request, filePath, variant)) return { file: variant, filePath, encoding: name };
    }
    return { file, filePath: path };
  }

  #found({ method, headers: asked }: HttpRequest, found: Found): Response {
    const { path, filePath, file, peer, encoding } = found;
    const described = this.#described.of(path, file.info, encoding);
    const { status, headers, range, multipart } = answerFor(asked, described);
    if (status === 304) this.#counts.notModified.add();
    if (method === 'HEAD') return new StreamResponse(null, { status, headers });
    const { files } = this.#deps;
    const read = (part: ByteRange, progress: StreamProgress) =>
      files.stream(this.#config.directory, file.info.realPath, { ...part, progress });
    if (multipart !== undefined) {
      const begin = () => this.#progress(filePath, multipart.ranges, peer);
      return new StreamResponse(multipartStream(multipart, read, begin), { status, headers });
    }
    if (range === undefined) return new StreamResponse(null, { status, headers });
    if (file.content === undefined)
      return new StreamResponse(read(range, this.#progress(filePath, [range], peer)), { status, headers });
    reportWhole(this.#transfer(filePath, [range], peer), { onTransfer: this.#report });
    return new WholeResponse(file.content.subarray(range.start, range.end + 1), { status, headers });
  }

  /**
   * Returns whether the client may have the file by this name and, for a link, by its target's name. A client that may not gets
   * the answer for a missing file, because names are private too.
   */
  #mayHave(request: HttpRequest, path: string, file: SeenFile): Awaitable<boolean> {
    const owned = this.#ownedNamesOf(path, file);
    return owned.length === 0 || this.#mayHaveOwned(request, owned);
  }

  /** Returns the paths in the private folder by which it is known. */
  #ownedNamesOf(path: string, { info: { realPath } }: SeenFile): readonly string[] {
    const { privateFolder } = this.#config;
    if (privateFolder === undefined) return [];
    const names = path === realPath ? [path] : [path, realPath];
    return names
      .filter((name) => name.startsWith(privateFolder))
      .map((name) => name.slice(privateFolder.length));
  }

  /** `paths`: in the private folder. */
  async #mayHaveOwned({ headers }: HttpRequest, paths: readonly string[]): Promise<boolean> {
    const session = headers.get(SESSION_HEADER);
    if (session === null) return false;
    const verified = await this.#deps.agentSessions?.verify(session).catch(() => undefined);
    if (verified?.ok !== true) return false;
    return paths.every((path) => {
      const [folder = ''] = path.split('/');
      const owner = parseMac(folder);
      return owner === undefined || owner === verified.mac;
    });
  }

  #missing(peer: HttpPeer, path: string): Response {
    this.#deps.onMissing(peer, path);
    this.#counts.notFound.add();
    return new WholeResponse('no such file\n', {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  }

  /** The directory is on an unreachable host, or its disk fails. */
  #unavailable(path: string | undefined, error: PlatformError): Response {
    this.#counts.unavailable.add();
    this.#deps.log.warn('image directory is unreadable', { path, error: error.message });
    return new WholeResponse('the files are temporarily unreadable\n', {
      status: 503,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': RETRY_AFTER_SECONDS },
    });
  }

  #progress(path: string, ranges: readonly ByteRange[], peer: HttpPeer): StreamProgress {
    const { clock } = this.#deps;
    return transferProgress(this.#transfer(path, ranges, peer), { clock, onTransfer: this.#report });
  }

  #transfer(path: string, ranges: readonly ByteRange[], peer: HttpPeer) {
    this.#lastId += 1;
    return { id: this.#lastId, peer, path, offset: ranges[0]?.start ?? 0, totalBytes: bytesOf(ranges) };
  }

  readonly #report = (progress: TransferProgress): void => {
    if (progress.kind === 'completed' || progress.kind === 'broken-off')
      this.#counts.sentBytes.add(progress.sentBytes);
    this.#deps.onTransfer(progress);
  };
}
