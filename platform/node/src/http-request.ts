import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '@tinkerbell/platform-contract';
import { BodyReaders } from './body-readers.ts';
import { RequestHeaders } from './request-headers.ts';
import { urlOfRequest } from './request-target.ts';

/** A request as the platform's handlers read it. Expensive parts are computed on first use. */
export class NodeHttpRequest extends BodyReaders implements HttpRequest {
  readonly method: string;
  /** Absolute and normalised. Empty when target and Host do not form a URL. */
  readonly url: string;
  readonly headers: HttpRequest['headers'];
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #expectLongBody: (() => void) | undefined;
  #signal: AbortSignal | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, expectLongBody?: () => void) {
    super();
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

  /** A reader that stops early does not end the connection, over which the response is still to be sent. */
  chunks(): AsyncIterable<Uint8Array<ArrayBuffer>> {
    const incoming = this.#incoming;
    return hasArrived(incoming) ? wholeBody(incoming) : incoming.iterator({ destroyOnReturn: false });
  }

  expectLongBody(): void {
    this.#expectLongBody?.();
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

function urlOf({ url: target = '', headers, httpVersion }: IncomingMessage): string {
  // HTTP/1.1 requires a Host (RFC 9112, section 3.2). Node's parser rejects a request without one.
  return urlOfRequest(target, headers.host ?? (httpVersion === '1.0' ? 'localhost' : ''));
}
