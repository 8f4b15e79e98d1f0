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
import type { CallEvents, CallReceiver, RelayedCall } from './client-call.ts';
import { blockOf } from './http2-fields.ts';
import { LOST } from './refusal.ts';
import { UpstreamFailure } from './upstream-failure.ts';

export class CallRelay implements AnswerListener, CallReceiver {
  readonly #relayed: RelayedCall;
  readonly #events: CallEvents;
  readonly #client: ServerStream;
  #upstream: ClientStream | undefined;
  #isAnswered = false;
  #isOver = false;
  #hasTrailers = false;
  #bytes = 0;
  /** What has arrived from one side and waits for the other. */
  #forClient = 0;
  #forUpstream = 0;
  #forget: (() => void) | undefined;

  constructor(relayed: RelayedCall, events: CallEvents) {
    this.#relayed = relayed;
    this.#events = events;
    this.#client = relayed.call.stream;
  }

  /** Call it once, for a connection that has a place. `block` is that of the request. */
  begin(connection: ClientConnection, block: Uint8Array): void {
    const { call } = this.#relayed;
    this.#upstream = connection.request({ block, isEnd: !call.hasBody, isHead: false, listener: this });
    call.relayTo(this);
  }

  requested(bytes: Uint8Array, isEnd: boolean): void {
    const isSent = this.#upstream?.sendData(bytes, isEnd) !== false;
    if (isSent) this.#client.consumed(bytes.length);
    else this.#forUpstream += bytes.length;
  }

  clientDrained(): void {
    this.#upstream?.consumed(this.#forClient);
    this.#forClient = 0;
    this.#forget?.();
    this.#forget = undefined;
  }

  clientClosed(): void {
    this.#forget?.();
    this.#upstream?.reset(errorCodes.cancel);
    if (this.#isAnswered) this.#finish();
    else this.#fail('the client has disconnected');
  }

  answered(status: number, fields: Fields, isEnd: boolean): void {
    const { call, answers } = this.#relayed;
    this.#isAnswered = true;
    this.#hasTrailers = isEnd;
    this.#events.answered(status);
    call.answered();
    this.#client.sendHeaders(answers.of(fields), isEnd);
  }

  data(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#client.sendData(bytes)) return this.#upstream?.consumed(bytes.length);
    this.#forClient += bytes.length;
    this.#forget ??= this.#relayed.heldBodies.add({
      bytes: () => this.#client.unsentBytes,
      taken: () => this.#bytes - this.#client.unsentBytes,
      cut: () => this.#relayed.call.abort(),
    });
  }

  trailers(fields: Fields): void {
    this.#hasTrailers = true;
    this.#client.sendTrailers(this.#relayed.trailers.of(fields));
  }

  end(): void {
    if (!this.#hasTrailers) this.#lose();
  }

  drained(): void {
    this.#client.consumed(this.#forUpstream);
    this.#forUpstream = 0;
  }

  aborted(): void {
    if (this.#isAnswered) this.#lose();
    else this.#leave('the upstream ended the request');
  }

  /** A time limit has expired. The gateway answers, unless the upstream has. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#upstream?.reset(errorCodes.cancel);
    this.aborted();
  }

  /** The client sees a failed call instead of a response that looks complete. */
  #lose(): void {
    this.#client.sendTrailers(blockOf([], LOST));
  }

  #leave(message: string): void {
    this.#relayed.call.relayTo(undefined);
    this.#fail(message);
  }

  #fail(message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.failed(new UpstreamFailure(message, false));
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.ended(this.#bytes);
  }
}
