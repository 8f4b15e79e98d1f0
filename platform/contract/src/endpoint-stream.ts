import type { EndpointTrust } from './endpoint-http.ts';

export interface EndpointStreamOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined: without TLS. */
  readonly tls?: EndpointTrust | undefined;
  /** For the connection and the handshake. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A connection to an endpoint that the operator named, such as a BMC. */
export interface EndpointStream extends AsyncDisposable {
  /** May be read once. Ends when the endpoint or the caller closes, and fails with an EndpointError when the connection breaks. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Resolves when the system has taken the bytes. Rejects with an EndpointError. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Rejects with an EndpointError, whose message names host and port. */
export type OpenEndpointStream = (options: EndpointStreamOptions) => Promise<EndpointStream>;
