import {
  SESSION_HEADER,
  type Clock,
  type Files,
  type HttpContext,
  type HttpPeer,
  type HttpRequest,
  type Log,
  type Service,
  type SessionVerifier,
} from '@tinkerbell/platform-contract';
import { parseMac } from '@tinkerbell/wire';
import { byteRangeOf, type ByteRange } from './byte-range.ts';
import { contentTypeOf } from './content-type.ts';
import { imagePathOf } from './image-path.ts';
import { failedPrecondition, rangeApplies, validatorsOf } from './preconditions.ts';
import { transferProgress, type OnTransfer, type TransferProgress } from './transfer.ts';

export interface ImagesDeps {
  /** Absent: agents have no sessions, and nobody gets what is private. */
  readonly agentSessions?: SessionVerifier;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every GET that sends bytes; must not throw. */
  readonly onTransfer: OnTransfer;
  /** Called for every request of a file that is not there; must not throw. */
  readonly onMissing: (peer: HttpPeer, path: string) => void;
}

export interface ImagesConfig {
  /** Where the files are. Links that leave it are not followed. */
  readonly directory: string;
  /** URL path prefix, ending in a slash. */
  readonly prefix: string;
  /**
   * Folder below the directory, ending in a slash, of which only agents with a live session learn anything; absent: there is none.
   * A folder in it that is named after a MAC is for that machine alone.
   */
  readonly privateFolder?: string;
}

/**
 * Files of a directory by GET and HEAD, with single ranges, validators and conditional requests (RFC 9110). No listings.
 */
export function createImagesService(deps: ImagesDeps, config: ImagesConfig): Service {
  const files = new ImageFiles(deps, config);
  const ended = Promise.withResolvers<void>();
  return {
    name: 'images',
    routes: [
      { name: 'images', prefix: config.prefix, handle: (request, context) => files.answer(request, context) },
    ],
    async start(signal) {
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health: () => ({ ready: true, counters: files.counters() }),
  };
}

class ImageFiles {
  readonly #deps: ImagesDeps;
  readonly #config: ImagesConfig;
  readonly #counts = { requests: 0, notFound: 0, notModified: 0, sentBytes: 0 };
  #lastId = 0;

  constructor(deps: ImagesDeps, config: ImagesConfig) {
    this.#deps = deps;
    this.#config = config;
  }

  async answer(request: HttpRequest, { peer }: HttpContext): Promise<Response> {
    this.#counts.requests += 1;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response('only GET and HEAD\n', { status: 405, headers: { allow: 'GET, HEAD' } });
    }
    const path = imagePathOf(request.url, this.#config.prefix);
    const file = path === undefined ? undefined : await this.#deps.files.stat(this.#config.directory, path);
    if (path === undefined || file?.isFile !== true || !(await this.#mayHave(request, path)))
      return this.#missing(peer, path ?? new URL(request.url).pathname);
    const { status, headers, range } = answerFor(request.headers, path, file);
    if (status === 304) this.#counts.notModified += 1;
    if (range === undefined || request.method === 'HEAD') return new Response(null, { status, headers });
    this.#deps.log.debug('image asked for', {
      peer: peer.address,
      path,
      status,
      start: range.start,
      end: range.end,
    });
    return new Response(this.#bodyOf(path, range, peer), { status, headers });
  }

  /** Whoever may not is told that there is no such file: names are private too. */
  async #mayHave({ headers }: HttpRequest, path: string): Promise<boolean> {
    const { privateFolder } = this.#config;
    if (privateFolder === undefined || !path.startsWith(privateFolder)) return true;
    const session = headers.get(SESSION_HEADER);
    if (session === null) return false;
    const verified = await this.#deps.agentSessions?.verify(session).catch(() => undefined);
    if (verified?.ok !== true) return false;
    const [folder = ''] = path.slice(privateFolder.length).split('/');
    const owner = parseMac(folder);
    return owner === undefined || owner === verified.mac;
  }

  #missing(peer: HttpPeer, path: string): Response {
    this.#deps.onMissing(peer, path);
    this.#counts.notFound += 1;
    return new Response('no such file\n', {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  }

  #bodyOf(path: string, range: ByteRange, peer: HttpPeer): ReadableStream<Uint8Array> {
    this.#lastId += 1;
    const totalBytes = range.end - range.start + 1;
    const transfer = { id: this.#lastId, peer, path, offset: range.start, totalBytes };
    const progress = transferProgress(transfer, {
      clock: this.#deps.clock,
      onTransfer: (report) => this.#report(report),
    });
    return this.#deps.files.stream(this.#config.directory, path, range, progress);
  }

  #report(progress: TransferProgress): void {
    if (progress.kind === 'completed' || progress.kind === 'broken-off')
      this.#counts.sentBytes += progress.sentBytes;
    this.#deps.onTransfer(progress);
  }

  counters(): Record<string, number> {
    const label = `{prefix="${this.#config.prefix}"}`;
    return {
      [`images_requests_total${label}`]: this.#counts.requests,
      [`images_not_found_total${label}`]: this.#counts.notFound,
      [`images_not_modified_total${label}`]: this.#counts.notModified,
      [`images_sent_bytes_total${label}`]: this.#counts.sentBytes,
    };
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Absent: no body. */
  readonly range?: ByteRange;
}

/** Status, headers and bytes of a file for a request; the body aside, HEAD is answered the same. */
function answerFor(
  request: HttpRequest['headers'],
  path: string,
  file: { readonly sizeBytes: number; readonly modifiedMs: number },
): Answer {
  const validators = validatorsOf(file);
  const common = {
    etag: validators.etag,
    'last-modified': new Date(validators.modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  };
  const failed = failedPrecondition(request, validators);
  if (failed !== undefined) return { status: failed, headers: common };

  const size = file.sizeBytes;
  const range = rangeApplies(request, validators) ? byteRangeOf(request.get('range'), size) : undefined;
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  }
  const headers = { ...common, 'content-type': contentTypeOf(path) };
  if (range !== undefined) {
    const { start, end } = range;
    const part = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': `${end - start + 1}` };
    return { status: 206, headers: { ...headers, ...part }, range };
  }
  const whole = { status: 200, headers: { ...headers, 'content-length': `${size}` } };
  return size === 0 ? whole : { ...whole, range: { start: 0, end: size - 1 } };
}
