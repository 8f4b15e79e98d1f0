/**
 * Relays a call of gRPC between two connections of HTTP/2 as frames: header fields after the checks, data as fast as the slower side reads,
 * trailers and resets. What waits is limited by the windows of flow control.
 */
import {
  errorCodes,
  type AnswerListener,
  type ClientConnection,
  type ClientStream,
  type Fields,
  type ServerStream,
} from '@tinkerbell/http2';
import type { CallReceiver, RelayedCall } from './client-call.ts';
import { endToEnd } from './header-fields.ts';
import { blockOf, fieldsByName, requestBlock } from './http2-fields.ts';
import { LOST } from './refusal.ts';
import { UpstreamFailure, type UpstreamAnswer, type UpstreamRequest } from './upstream-client.ts';

export class CallRelay implements AnswerListener, CallReceiver {
  readonly #request: UpstreamRequest;
  readonly #relayed: RelayedCall;
  readonly #client: ServerStream;
  readonly #answer = Promise.withResolvers<UpstreamAnswer>();
  readonly #ended = Promise.withResolvers<number>();
  readonly #cancel = (): void => this.#giveUp();
  #upstream: ClientStream | undefined;
  #isAnswered = false;
  #hasTrailers = false;
  #bytes = 0;
  /** What has arrived from one side and waits for the other. */
  #waiting = { forClient: 0, forUpstream: 0 };
  #forget: (() => void) | undefined;

  constructor(request: UpstreamRequest, relayed: RelayedCall) {
    this.#request = request;
    this.#relayed = relayed;
    this.#client = relayed.call.stream;
  }

  /** Call it once, for a connection that has a place. Rejects with an UpstreamFailure. */
  ask(connection: ClientConnection): Promise<UpstreamAnswer> {
    const { call } = this.#relayed;
    const { gone } = this.#request;
    if (gone.hasHappened) return Promise.reject(new UpstreamFailure('the client has disconnected', false));
    this.#upstream = connection.request({
      block: requestBlock(this.#request),
      isEnd: !call.hasBody,
      isHead: false,
      listener: this,
    });
    gone.onHappened(this.#cancel);
    call.relayTo(this);
    return this.#answer.promise;
  }

  requested(bytes: Uint8Array, isEnd: boolean): void {
    const isSent = this.#upstream?.sendData(bytes, isEnd) !== false;
    if (isSent) this.#client.consumed(bytes.length);
    else this.#waiting.forUpstream += bytes.length;
  }

  clientDrained(): void {
    this.#upstream?.consumed(this.#waiting.forClient);
    this.#waiting.forClient = 0;
    this.#forget?.();
    this.#forget = undefined;
  }

  clientClosed(): void {
    this.#forget?.();
    this.#request.gone.forget(this.#cancel);
    this.#upstream?.reset(errorCodes.cancel);
    if (!this.#isAnswered) this.#answer.reject(new UpstreamFailure('the client has disconnected', false));
    this.#ended.resolve(this.#bytes);
  }

  answered(status: number, fields: Fields, isEnd: boolean): void {
    const byName = fieldsByName(fields);
    const { call } = this.#relayed;
    this.#isAnswered = true;
    this.#hasTrailers = isEnd;
    this.#answer.resolve({
      status,
      fields: byName,
      relayed: this.#ended.promise,
      trailers: () => undefined,
      isCut: () => false,
    });
    call.answered();
    const block = blockOf([':status', String(status)], this.#relayed.answerFields(byName));
    this.#client.sendHeaders(block, isEnd);
  }

  data(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#client.sendData(bytes)) return this.#upstream?.consumed(bytes.length);
    this.#waiting.forClient += bytes.length;
    this.#forget ??= this.#relayed.heldBodies.add({
      bytes: () => this.#client.unsentBytes,
      taken: () => this.#bytes - this.#client.unsentBytes,
      cut: () => this.#relayed.call.abort(),
    });
  }

  trailers(fields: Fields): void {
    this.#hasTrailers = true;
    this.#client.sendTrailers(blockOf([], endToEnd(fieldsByName(fields))));
  }

  end(): void {
    if (!this.#hasTrailers) this.#lose();
  }

  drained(): void {
    this.#client.consumed(this.#waiting.forUpstream);
    this.#waiting.forUpstream = 0;
  }

  aborted(): void {
    if (this.#isAnswered) return this.#lose();
    this.#leave();
    this.#answer.reject(new UpstreamFailure('the upstream ended the request', false));
  }

  /** The client sees a failed call instead of a response that looks complete. */
  #lose(): void {
    this.#client.sendTrailers(blockOf([], LOST));
  }

  /** A time limit has expired. The gateway answers, unless the upstream has. */
  #giveUp(): void {
    this.#upstream?.reset(errorCodes.cancel);
    this.aborted();
  }

  #leave(): void {
    this.#request.gone.forget(this.#cancel);
    this.#relayed.call.relayTo(undefined);
  }
}
