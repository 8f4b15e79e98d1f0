import {
  errorCodes,
  type AnswerListener,
  type ClientConnection,
  type ClientStream,
  type Fields,
} from '@tinkerbell/http2';
import type { HeaderFields } from './header-fields.ts';
import { IncomingBody, OutgoingBody } from './http2-body.ts';
import { fieldsByName, requestBlock } from './http2-fields.ts';
import { isSafe, type UpstreamAnswer, type UpstreamRequest } from './upstream-client.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** One request to an upstream of HTTP/2, and its answer. */
export class UpstreamStream implements AnswerListener {
  readonly #request: UpstreamRequest;
  readonly #answer = Promise.withResolvers<UpstreamAnswer>();
  readonly #cancel = (): void => this.#giveUp();
  #stream: ClientStream | undefined;
  #sending: OutgoingBody | undefined;
  #arriving: IncomingBody | undefined;
  #trailers: HeaderFields | undefined;

  constructor(request: UpstreamRequest) {
    this.#request = request;
  }

  /** Call it once, for a connection that has a place. Rejects with an UpstreamFailure. */
  ask(connection: ClientConnection): Promise<UpstreamAnswer> {
    const { method, body, gone } = this.#request;
    const stream = connection.request({
      block: requestBlock(this.#request),
      isEnd: body === undefined,
      isHead: method === 'HEAD',
      listener: this,
    });
    this.#stream = stream;
    gone.onHappened(this.#cancel);
    if (body !== undefined && stream.isOpen) {
      this.#sending = new OutgoingBody(stream);
      body.pipe(this.#sending);
    }
    return this.#answer.promise;
  }

  answered(status: number, fields: Fields, isEnd: boolean): void {
    const body = isEnd || this.#stream === undefined ? undefined : new IncomingBody(this.#stream);
    this.#arriving = body;
    this.#answer.resolve({
      status,
      fields: fieldsByName(fields),
      ...(body === undefined ? {} : { body }),
      trailers: () => this.#trailers,
      isCut: () => body?.isCut === true,
    });
  }

  data(bytes: Uint8Array): void {
    this.#arriving?.arrived(bytes);
  }

  trailers(fields: Fields): void {
    this.#trailers = fieldsByName(fields);
  }

  end(): void {
    this.#leave();
    this.#arriving?.finish();
  }

  drained(): void {
    this.#sending?.drained();
  }

  aborted(code?: number): void {
    this.#leave();
    this.#arriving?.cut();
    const isRefused = code === errorCodes.refusedStream && this.#request.body === undefined;
    const message = 'the upstream ended the request';
    this.#answer.reject(new UpstreamFailure(message, isRefused || isSafe(this.#request)));
  }

  #giveUp(): void {
    this.#stream?.reset(errorCodes.cancel);
    this.aborted(errorCodes.cancel);
  }

  #leave(): void {
    this.#request.gone.forget(this.#cancel);
    this.#sending?.destroy();
  }
}
