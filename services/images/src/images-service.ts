import type { Clock, Files, HttpContext, HttpPeer, Log, Service } from '@tinkerbell/platform-contract';
import { byteRangeOf, type ByteRange } from './byte-range.ts';
import { contentTypeOf } from './content-type.ts';
import { imagePathOf } from './image-path.ts';
import { failedPrecondition, rangeApplies, validatorsOf } from './preconditions.ts';
import { reportedStream, type OnTransfer } from './transfer.ts';

export interface ImagesDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every GET that sends bytes; must not throw. */
  readonly onTransfer: OnTransfer;
}

export interface ImagesConfig {
  /** Where the files are. Links that leave it are not followed. */
  readonly directory: string;
  /** URL path prefix, ending in a slash. */
  readonly prefix: string;
}

/**
 * Files of a directory by GET and HEAD, with single ranges, validators and conditional requests (RFC 9110). No listings.
 * Reads 1 MiB at a time: at the usual 64 KiB the processor does twice the work for the same bytes.
 */
export function createImagesService(deps: ImagesDeps, config: ImagesConfig): Service {
  const counts = { requests: 0, notFound: 0, notModified: 0, sentBytes: 0 };
  const ended = Promise.withResolvers<void>();
  let lastId = 0;

  const onTransfer: OnTransfer = (progress) => {
    if (progress.kind === 'completed' || progress.kind === 'broken-off')
      counts.sentBytes += progress.sentBytes;
    deps.onTransfer(progress);
  };

  async function handle(request: Request, { peer }: HttpContext): Promise<Response> {
    counts.requests += 1;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response('only GET and HEAD\n', { status: 405, headers: { allow: 'GET, HEAD' } });
    }
    const path = imagePathOf(request.url, config.prefix);
    const file = path === undefined ? undefined : await deps.files.stat(config.directory, path);
    if (path === undefined || file?.isFile !== true) {
      counts.notFound += 1;
      return new Response('no such file\n', {
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      });
    }
    const answer = answerFor(request.headers, path, file);
    if (answer.status === 304) counts.notModified += 1;
    const { status, headers, range } = answer;
    if (range === undefined || request.method === 'HEAD') return new Response(null, { status, headers });
    deps.log.debug('image asked for', {
      peer: peer.address,
      path,
      status,
      start: range.start,
      end: range.end,
    });
    return new Response(bodyOf(path, range, peer), { status, headers });
  }

  function bodyOf(path: string, range: ByteRange, peer: HttpPeer): ReadableStream<Uint8Array> {
    lastId += 1;
    const source = deps.files.stream(config.directory, path, range);
    const transfer = { id: lastId, peer, path, offset: range.start, totalBytes: range.end - range.start + 1 };
    return reportedStream(source, transfer, { clock: deps.clock, onTransfer });
  }

  return {
    name: 'images',
    routes: [{ name: 'images', prefix: config.prefix, handle }],
    async start(signal) {
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health: () => ({
      ready: true,
      counters: {
        images_requests_total: counts.requests,
        images_not_found_total: counts.notFound,
        images_not_modified_total: counts.notModified,
        images_sent_bytes_total: counts.sentBytes,
      },
    }),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Absent: no body. */
  readonly range?: ByteRange;
}

/** Status, headers and bytes of a file for a request; the body aside, HEAD is answered the same. */
function answerFor(
  request: Headers,
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
