/** Verification of the certificate of an endpoint. `pin` is the SHA-256 of the certificate in lower-case hex. */
export type EndpointTrust =
  | { readonly kind: 'any' }
  | { readonly kind: 'authorities'; readonly certificates: readonly string[] }
  | { readonly kind: 'pin'; readonly sha256: string };

export interface EndpointRequest {
  /** `GET`, `POST`, `PATCH`, `PUT` or `DELETE`. */
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly trust: EndpointTrust;
  /** For the whole exchange, from the connection to the last byte of the answer. */
  readonly timeoutMs: number;
  /** A longer answer fails with `too-large`. Compressed answers are not requested. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

export interface EndpointAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly body: string;
}

export type EndpointFailure =
  | 'unreachable'
  | 'timed-out'
  | 'untrusted-certificate'
  | 'expired-certificate'
  | 'broken'
  | 'too-large'
  | 'aborted';

export class EndpointError extends Error {
  readonly code: EndpointFailure;

  constructor(code: EndpointFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EndpointError';
    this.code = code;
  }
}

/**
 * Small requests to one endpoint that the operator named, such as a BMC. Unlike HttpClient it sends bodies, keeps a connection for
 * the next request, returns redirects instead of following them, and trusts what the request says. One instance belongs to one
 * endpoint: `close` ends its connections.
 */
export interface EndpointHttp extends AsyncDisposable {
  /** Rejects with an EndpointError, whose message names host and port. */
  request(url: URL, request: EndpointRequest): Promise<EndpointAnswer>;
  /** The SHA-256 of the certificate that the last TLS connection had, in lower-case hex. */
  certificateSha256(): string | undefined;
}

/** Creates the client of one endpoint. */
export type OpenEndpointHttp = () => EndpointHttp;
