/** Where a request is about to connect to. */
export interface HttpTarget {
  /** As the URL has it, lower case, without brackets. */
  readonly hostname: string;
  /** What it resolved to; the connection goes to this address and no other. */
  readonly address: string;
  /** Whether the connection would end at this machine itself, whatever the URL calls it. */
  readonly isThisMachine: boolean;
  /** 0 for the URL that was asked for, 1 for the first redirect, and so on. */
  readonly redirects: number;
}

export interface HttpGetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked for each address of each host, redirects too. Addresses it denies are as if they did not exist. */
  readonly mayConnect: (target: HttpTarget) => boolean;
  readonly signal?: AbortSignal;
}

export interface HttpClientResponse {
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
  /** To be read to its end, or cancelled. Fails when the connection breaks, also when it just ends too early. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * GET by http and https. Follows at most 10 redirects. Gives up when a host cannot be connected to within 10 s or sends nothing
 * for 60 s; an answer that keeps coming may take as long as it likes.
 */
export interface HttpClient {
  /** Rejects with a PlatformError that names the URL: no answer, no permitted address, another scheme, too many redirects. */
  get(url: string, options: HttpGetOptions): Promise<HttpClientResponse>;
}
