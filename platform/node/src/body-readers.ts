import type { HttpRequest } from '@tinkerbell/platform-contract';

type Bytes = Uint8Array<ArrayBuffer>;

/** The forms in which a handler may read the body of a request. They all read `chunks`. */
export abstract class BodyReaders implements Pick<HttpRequest, 'body' | 'text' | 'json' | 'arrayBuffer'> {
  abstract readonly method: string;
  #body: ReadableStream<Bytes> | null | undefined;

  abstract chunks(): AsyncIterable<Bytes>;

  get body(): ReadableStream<Bytes> | null {
    if (this.#body === undefined) {
      const hasBody = this.method !== 'GET' && this.method !== 'HEAD';
      this.#body = hasBody ? ReadableStream.from(this.chunks()) : null;
    }
    return this.#body;
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
