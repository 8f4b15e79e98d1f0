/** A disc image at a URL, which is read in parts by ranges (RFC 9110, section 14) and never held whole. */
import {
  messageOf,
  PlatformError,
  type HttpClient,
  type HttpClientResponse,
  type HttpTarget,
} from '@tinkerbell/platform-contract';
import { BmcError } from '../bmc-error.ts';
import type { DiscCache } from './disc-cache.ts';

export interface DiscDeps {
  readonly httpClient: HttpClient;
  /** Returns which addresses may be connected to for an image of this URL. */
  readonly mayFetch: (url: string) => (target: HttpTarget) => boolean;
  readonly cache: DiscCache;
}

/** One request has this many bytes. Fewer would make more requests, and more would delay the first bytes. */
const PART_BYTES = 512 * 1024;
const PARTIAL = 206;
const WHOLE = 200;
const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/;

export class RemoteDisc {
  readonly sizeBytes: number;
  readonly #deps: DiscDeps;
  readonly #url: string;
  readonly #tag: string | null;
  readonly #signal: AbortSignal;

  private constructor(deps: DiscDeps, { url, signal }: Wanted, { sizeBytes, tag }: Version) {
    this.sizeBytes = sizeBytes;
    this.#deps = deps;
    this.#url = url;
    this.#tag = tag;
    this.#signal = signal;
  }

  /** Rejects with a BmcError: `busy` if trying again can help, else `rejected`. */
  static async open(deps: DiscDeps, wanted: Wanted): Promise<RemoteDisc> {
    const { version, body } = await rangeOf(deps, wanted, { start: 0, end: 0 });
    await body.cancel();
    return new RemoteDisc(deps, wanted, version);
  }

  /** Yields the bytes in parts. What is beyond the end of the image is zero. Rejects with a BmcError. */
  async *read(start: number, length: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < start + length;) {
      const index = Math.floor(at / PART_BYTES);
      const part = await this.#part(index);
      const from = at - index * PART_BYTES;
      const count = Math.min(start + length - at, PART_BYTES - from);
      const found = part.subarray(from, from + count);
      yield found.length === count ? found : padded(found, count);
      at += count;
    }
  }

  async #part(index: number): Promise<Uint8Array> {
    const { cache } = this.#deps;
    const key = `${index} ${this.sizeBytes} ${this.#tag ?? ''} ${this.#url}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const start = index * PART_BYTES;
    const end = Math.min(start + PART_BYTES, this.sizeBytes) - 1;
    if (end < start) return new Uint8Array();
    const part = await this.#fetch({ start, end });
    cache.add(key, part);
    return part;
  }

  /** A connection that breaks is tried a second time. */
  async #fetch(range: Range): Promise<Uint8Array> {
    try {
      return await this.#fetchOnce(range);
    } catch (thrown) {
      if (!(thrown instanceof BmcError) || thrown.code !== 'busy') throw thrown;
      return await this.#fetchOnce(range);
    }
  }

  async #fetchOnce(range: Range): Promise<Uint8Array> {
    const wanted = { url: this.#url, signal: this.#signal };
    const { version, body } = await rangeOf(this.#deps, wanted, range);
    if (version.sizeBytes === this.sizeBytes && version.tag === this.#tag)
      return await bytesOf(body, { url: this.#url, length: range.end - range.start + 1 });
    await body.cancel();
    throw new BmcError('rejected', `the image at ${this.#url} has changed; eject it and insert it again`);
  }
}

interface Wanted {
  readonly url: string;
  readonly signal: AbortSignal;
}

interface Range {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

interface Version {
  readonly sizeBytes: number;
  readonly tag: string | null;
}

async function rangeOf(deps: DiscDeps, { url, signal }: Wanted, range: Range) {
  const response = await answerOf(deps, { url, signal }, range);
  const match = CONTENT_RANGE.exec(response.headers.get('content-range') ?? '');
  const isAsked = Number(match?.[1]) === range.start && Number(match?.[2]) === range.end;
  const sizeBytes = Number(match?.[3]);
  if (response.status === PARTIAL && isAsked && sizeBytes > range.end)
    return { version: { sizeBytes, tag: response.headers.get('etag') }, body: response.body };
  await response.body.cancel();
  throw refusal(url, response.status);
}

function refusal(url: string, status: number): BmcError {
  if (status === WHOLE || status === PARTIAL)
    return new BmcError('rejected', `${url}: its server does not answer ranges of bytes; use another one`);
  return new BmcError(status >= 500 ? 'busy' : 'rejected', `${url}: its server answers ${status}`);
}

async function answerOf(
  { httpClient, mayFetch }: DiscDeps,
  { url, signal }: Wanted,
  { start, end }: Range,
): Promise<HttpClientResponse> {
  try {
    const headers = { range: `bytes=${start}-${end}` };
    return await httpClient.get(url, { headers, mayConnect: mayFetch(url), signal });
  } catch (thrown) {
    throw problemOf(thrown);
  }
}

async function bytesOf(
  body: ReadableStream<Uint8Array>,
  { url, length }: { readonly url: string; readonly length: number },
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  try {
    for await (const chunk of body) {
      if (at + chunk.length > length) break;
      bytes.set(chunk, at);
      at += chunk.length;
    }
  } catch (thrown) {
    throw problemOf(thrown);
  }
  if (at !== length) throw new BmcError('busy', `${url}: its server sent ${at} bytes of ${length}`);
  return bytes;
}

function problemOf(thrown: unknown): BmcError {
  if (!(thrown instanceof PlatformError)) throw thrown;
  const isRefused = thrown.code === 'permission-denied';
  const advice = isRefused ? '; allow it with --iso-allow-source' : '';
  return new BmcError(isRefused ? 'rejected' : 'busy', `${messageOf(thrown)}${advice}`, { cause: thrown });
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  const whole = new Uint8Array(length);
  whole.set(bytes);
  return whole;
}
