/** Sends a request to one endpoint of an upstream. */
import type { Duplex, Readable } from 'node:stream';
import type { ClientConnection } from '@tinkerbell/http2';
import type { Departure } from './departure.ts';
import type { RelayedCall } from './client-call.ts';
import type { HeaderFields } from './header-fields.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  readonly fields: HeaderFields;
  readonly body?: Readable;
  /** Present when the call is relayed as frames, instead of `body`. */
  readonly relay?: RelayedCall;
  /** The client asks for a WebSocket. */
  readonly isWebSocket?: boolean;
  /** The request is abandoned when this fires. */
  readonly gone: Departure;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly fields: HeaderFields;
  /** Present when the call is relayed as frames. Resolves with the bytes of the body when the call has ended. */
  readonly relayed?: Promise<number>;
  /** Absent: the response has only header fields. */
  readonly body?: Readable;
  /** The upstream has accepted a WebSocket (status 101), and this is its connection. */
  readonly webSocket?: Duplex;
  /** After the end of the body. */
  readonly trailers: () => HeaderFields | undefined;
  /** True when the body ended incomplete. */
  readonly isCut: () => boolean;
}

export interface UpstreamClient {
  /** Rejects with an UpstreamFailure. */
  ask(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Returns a connection that has a place for a request now. Absent: the endpoint does not use HTTP/2. */
  readonly free?: () => ClientConnection | undefined;
  /** Lets active requests end. */
  close(): void;
}

/** Methods that change nothing (RFC 9110 9.2.1). Repeating them is harmless. */
export function isSafe({ method, body, relay }: UpstreamRequest): boolean {
  return body === undefined && relay === undefined && ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

export const CONNECT_TIMEOUT_MS = 5000;
