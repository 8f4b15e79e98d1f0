import type { Fields, ServerStream } from '@tinkerbell/http2';
import type { HeldBodies } from './held-bodies.ts';
import type { UpstreamFailure } from './upstream-failure.ts';

/** A request of HTTP/2 whose body nobody has read. */
export interface ClientCall {
  readonly stream: ServerStream;
  readonly hasBody: boolean;
  /** Passes on the body from its beginning, and what happens to the response. Undefined: to nobody any longer. */
  relayTo(receiver: CallReceiver | undefined): void;
  /** The header fields of the response are about to be sent on the stream. */
  answered(): void;
  /** Aborts the response at once. */
  abort(): void;
}

/** The destination of a request that is relayed as frames. */
export interface CallReceiver {
  /** A part of the body, and with `isEnd` its end. */
  requested(bytes: Uint8Array, isEnd: boolean): void;
  /** The client has room again. */
  clientDrained(): void;
  /** Everything was sent to the client, or it has disconnected. */
  clientClosed(): void;
}

/** Returns blocks for the client of what an upstream has sent. */
interface Blocks {
  of(fields: Fields): Uint8Array;
}

/** What a relay needs besides the request. */
export interface RelayedCall {
  readonly call: ClientCall;
  readonly heldBodies: HeldBodies;
  readonly answers: Blocks;
  readonly trailers: Blocks;
}

/** What happens to a relayed call. After `answered` comes `ended`, and otherwise `failed`. */
export interface CallEvents {
  answered(status: number): void;
  /** The call is over, with so many bytes of data for the client. */
  ended(bytes: number): void;
  /** There was no answer. */
  failed(failure: UpstreamFailure): void;
}
