import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '@tinkerbell/platform-contract';
import { urlOfTarget } from './request-target.ts';

/** A request as the platform's handlers read it. Expensive parts are computed on first use. */
export class NodeHttpRequest implements HttpRequest {
  readonly method: string;
  /** Absolute and normalised. Empty when target and Host do not form a URL. */
  readonly url: string;
  readonly headers: HttpRequest['headers'];
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #expectLongBody: (() => void) | undefined;
  #signal: AbortSignal | undefined;
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, expectLongBody?: () => void) {
    this.#expectLongBody = expectLongBody;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? 'GET';
    this.url = urlOf(incoming);
    this.headers = new RequestHeaders(incoming.rawHeaders);
  }

  get isUnderstood(): boolean {
    return this.url !== '';
  }

  /** Aborts when the response has been sent or the client has disconnected. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const gone = new AbortController();
      this.#outgoing.once('close', () => gone.abort());
      if (this.#outgoing.closed) gone.abort();
      this.#signal = gone.signal;
    }
    return this.#signal;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#body === undefined) {
      const hasBody = this.method !== 'GET' && this.method !== 'HEAD';
      this.#body = hasBody ? ReadableStream.from(this.chunks()) : null;
    }
    return this.#body;
  }

  /** A reader that stops early does not end the connection, over which the response is still to be sent. */
  chunks(): AsyncIterable<Uint8Array<ArrayBuffer>> {
    const incoming = this.#incoming;
    return hasArrived(incoming) ? wholeBody(incoming) : incoming.iterator({ destroyOnReturn: false });
  }

  expectLongBody(): void {
    this.#expectLongBody?.();
  }

  text(): Promise<string> {
    return new Response(this.body).text();
  }

  json(): Promise<unknown> {
    return new Response(this.body).json();
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return new Response(this.body).arrayBuffer();
  }
}

/** Returns true if all bytes of the body have arrived and nobody has read them, as for most requests. */
function hasArrived({ readableLength, headers, destroyed }: IncomingMessage): boolean {
  return readableLength > 0 && !destroyed && readableLength === Number(headers['content-length']);
}

/** Costs half of an iterator. It waits for the end of the request too, because an earlier response closes the connection. */
async function* wholeBody(incoming: IncomingMessage): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const ended = new Promise((resolve) => void incoming.once('close', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Bodies are not decoded, and Node's type allows for that.
  const next = (): Buffer<ArrayBuffer> | null => incoming.read() as Buffer<ArrayBuffer> | null;
  const pieces: Buffer<ArrayBuffer>[] = [];
  // Each read returns a piece as it arrived. All at once, because a connection that ends takes with it what nobody has read.
  for (let piece = next(); piece !== null; piece = next()) pieces.push(piece);
  incoming.resume();
  yield* pieces;
  await ended;
}

class RequestHeaders {
  readonly #rawHeaders: readonly string[];

  constructor(rawHeaders: readonly string[]) {
    this.#rawHeaders = rawHeaders;
  }

  get(name: string): string | null {
    return headerOf(this.#rawHeaders, name);
  }

  /** The headers as sent. A repeated name appears repeatedly. */
  keys(): Iterable<string> {
    return this.#rawHeaders.filter((_, index) => index % 2 === 0);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

/** A path that normalisation does not change: nothing escaped, no empty or dotted segment, no query. */
const PLAIN_TARGET = /^(?:\/[\w~:-][\w~:.-]*)+\/?$/;

/** The Host of a request is nearly always that of the previous one. */
let lastHost = '';
let lastOrigin = '';

/** Returns `http://<host>`, normalised. Empty when the Host is more than a host. */
function originOf(host: string): string {
  if (host === lastHost) return lastOrigin;
  const parsed = URL.parse(`http://${host}`);
  lastHost = host;
  lastOrigin = parsed !== null && parsed.href === `${parsed.origin}/` ? parsed.origin : '';
  return lastOrigin;
}

function urlOf({ url: target = '', headers, httpVersion }: IncomingMessage): string {
  // HTTP/1.1 requires a Host (RFC 9112, section 3.2). Node's parser rejects a request without one.
  const origin = originOf(headers.host ?? (httpVersion === '1.0' ? 'localhost' : ''));
  if (origin === '') return '';
  if (PLAIN_TARGET.test(target)) return origin + target;
  return urlOfTarget(target, origin);
}

/** Joins all values of a header, as Headers does: none is dropped, and none can hide behind another. */
function headerOf(rawHeaders: readonly string[], name: string): string | null {
  const wanted = name.toLowerCase();
  let found: string | null = null;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const each = rawHeaders[index] ?? '';
    if (each.length !== wanted.length || each.toLowerCase() !== wanted) continue;
    const value = rawHeaders[index + 1] ?? '';
    found = found === null ? value : `${found}, ${value}`;
  }
  return found;
}
