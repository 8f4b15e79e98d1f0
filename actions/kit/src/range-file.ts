/**
 * Reads any part of a file on an HTTP server with range requests. Blocks are kept for a while, because the
 * tables of an image are read again and again between its data.
 */
import { delay, setLatest, type Clock, type Log } from '@tinkerbell/platform-contract';

import { ActionError } from './action-error.ts';
import { getFollowing, DroppedError, isDropped, refusedBy, validatorOf, type Answer } from './http-get.ts';

const BLOCK_BYTES = 1024 * 1024;
const BLOCKS_MAX = 32;
const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 8000;

export interface RangeRequest {
  readonly url: URL;
  /** One block fails after this time without an answer. */
  readonly retryForMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RangeFile {
  readonly sizeBytes: number;
  /** Returns fewer bytes only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

interface Identity {
  readonly sizeBytes: number;
  readonly validator: string | undefined;
}

/**
 * Returns undefined when the server does not support ranges.
 *
 * @throws ActionError when the server refuses or does not answer.
 */
export async function openRangeFile(request: RangeRequest): Promise<RangeFile | undefined> {
  return withRetries(request, async () => {
    const answer = await getFollowing(request.url, { Range: 'bytes=0-0' }, request.signal);
    answer.response.destroy();
    const status = answer.response.statusCode ?? 0;
    // An empty file has no range at all.
    if (status === 200 || status === 416) return undefined;
    if (status !== 206) throw refusedBy(answer.url, status);
    const sizeBytes = rangeOf(answer)?.total;
    if (sizeBytes === undefined) return undefined;
    return new Blocks(request, { sizeBytes, validator: validatorOf(answer.response) });
  });
}

class Blocks implements RangeFile {
  readonly sizeBytes: number;
  readonly #request: RangeRequest;
  readonly #identity: Identity;
  /** In the order of their last use. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();

  constructor(request: RangeRequest, identity: Identity) {
    this.sizeBytes = identity.sizeBytes;
    this.#request = request;
    this.#identity = identity;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.sizeBytes);
    if (offset >= end) return new Uint8Array(0);
    const bytes = new Uint8Array(end - offset);
    for (let at = offset; at < end;) {
      const index = Math.floor(at / BLOCK_BYTES);
      const start = at - index * BLOCK_BYTES;
      const block = await this.#block(index);
      const piece = block.subarray(start, Math.min(start + end - at, block.length));
      bytes.set(piece, at - offset);
      at += piece.length;
    }
    return bytes;
  }

  #block(index: number): Promise<Uint8Array> {
    const known = this.#fetched(index);
    const next = index + 1;
    // Images are mostly read forward. The next block arrives while this one is written.
    if (this.#blocks.has(index - 1) && next * BLOCK_BYTES < this.sizeBytes)
      this.#fetched(next).catch(() => undefined);
    return known;
  }

  #fetched(index: number): Promise<Uint8Array> {
    const known = this.#blocks.get(index) ?? this.#fetch(index);
    setLatest(this.#blocks, [index, known], BLOCKS_MAX);
    return known;
  }

  #fetch(index: number): Promise<Uint8Array> {
    const first = index * BLOCK_BYTES;
    const last = Math.min(first + BLOCK_BYTES, this.sizeBytes) - 1;
    return withRetries(this.#request, async () => {
      const { url, signal } = this.#request;
      const answer = await getFollowing(url, { Range: `bytes=${first}-${last}` }, signal);
      this.#assertSame(answer, first);
      return bodyOf(answer, last - first + 1);
    });
  }

  #assertSame(answer: Answer, first: number): void {
    const { response, url } = answer;
    const problem = this.#problemOf(answer, first);
    if (problem === undefined) return;
    response.destroy();
    const status = response.statusCode ?? 0;
    if (status >= 400 && status !== 416) throw refusedBy(url, status);
    throw new ActionError(`${url.href} cannot be read at byte ${first}: ${problem}. Run the action again`);
  }

  #problemOf(answer: Answer, first: number): string | undefined {
    const { response } = answer;
    const validator = validatorOf(response);
    const known = this.#identity.validator;
    if (known !== undefined && validator !== undefined && validator !== known)
      return 'the image changed on the server';
    if (response.statusCode !== 206) return `the server answered ${response.statusCode} instead of a range`;
    const range = rangeOf(answer);
    if (range?.first !== first) return 'the server sent a different range than requested';
    return range.total === this.sizeBytes ? undefined : 'the image changed its size';
  }
}

function rangeOf({ response }: Answer): { readonly first: number; readonly total: number } | undefined {
  const match = /^bytes (\d{1,15})-\d+\/(\d{1,15})$/.exec(response.headers['content-range'] ?? '');
  return match === null ? undefined : { first: Number(match[1]), total: Number(match[2]) };
}

async function bodyOf({ response, url }: Answer, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (done + chunk.length > length) throw new ActionError(`${url.href} sent more than the requested range`);
    bytes.set(chunk, done);
    done += chunk.length;
  }
  if (done < length) throw new DroppedError(`the server ended after ${done} of ${length} bytes`);
  return bytes;
}

/** Repeats work that fails by a dropped connection or an overloaded server. */
export async function withRetries<Result>(
  request: RangeRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const { clock, signal, log, url, retryForMs } = request;
  const startMs = clock.monotonicMs();
  for (let backoffMs = BACKOFF_FIRST_MS; ; backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw new ActionError('the download was stopped at the timeout', { cause: error });
      if (!isDropped(error)) throw error;
      if (clock.monotonicMs() - startMs + backoffMs > retryForMs)
        throw new ActionError(
          `${url.href}: ${error.message}; gave up after ${Math.round(retryForMs / 1000)} s. Check the server and the network`,
          { cause: error },
        );
      log.warn('range request interrupted, repeating it', { reason: error.message });
      await delay(clock, backoffMs, signal);
    }
  }
}
