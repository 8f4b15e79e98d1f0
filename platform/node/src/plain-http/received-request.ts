import type { HttpContext, HttpRequest } from '@tinkerbell/platform-contract';
import { BodyReaders } from '../body-readers.ts';
import { RequestHeaders } from '../request-headers.ts';
import { urlOfRequest } from '../request-target.ts';
import type { PlainRequest } from './plain-request.ts';

/** What all requests of a connection have in common. */
export type ConnectionFacts = Pick<HttpContext, 'peer' | 'localAddress'>;

/** A plain request as handlers read it, with its context. Its whole body is in memory. */
export class ReceivedRequest extends BodyReaders implements HttpRequest, HttpContext {
  readonly method: string;
  /** Absolute and normalised. Empty when target and Host do not form a URL. */
  readonly url: string;
  readonly target: string;
  readonly headers: HttpRequest['headers'];
  readonly peer: HttpContext['peer'];
  readonly #facts: ConnectionFacts;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #gone: AbortController | undefined;
  #isOver = false;

  constructor({ method, target, host, rawHeaders, body }: PlainRequest, facts: ConnectionFacts) {
    super();
    this.method = method;
    this.target = target;
    this.url = urlOfRequest(target, host);
    this.headers = new RequestHeaders(rawHeaders);
    this.peer = facts.peer;
    this.#facts = facts;
    this.#bytes = body;
  }

  get localAddress(): string {
    return this.#facts.localAddress;
  }

  /** Aborts when the response has been sent or the client has disconnected. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#isOver) this.#gone.abort();
    }
    return this.#gone.signal;
  }

  /** The response has been sent, or cannot be any more. */
  end(): void {
    this.#isOver = true;
    this.#gone?.abort();
  }

  async *chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    if (this.#bytes.length > 0) yield this.#bytes;
  }
}
