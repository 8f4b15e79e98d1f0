/** The target that a request is about to connect to. */
export interface HttpTarget {
  /** The host as written in the URL, in lower case and without brackets. */
  readonly hostname: string;
  /** The address that the host resolved to. The connection goes to exactly this address. */
  readonly address: string;
  /** True if the connection would end at this machine itself, whatever host the URL names. */
  readonly isThisMachine: boolean;
  /** 0 for the requested URL, 1 for the first redirect, and so on. */
  readonly redirects: number;
}

export interface HttpGetOptions {
  /** Default: GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** Of a POST. A redirect of a POST is returned and not followed. */
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent only to the requested URL, and not where it redirects: a token. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** Called for each address of each host, including redirects. Denied addresses are treated as if they did not exist. */
  readonly mayConnect: (target: HttpTarget) => boolean;
  readonly signal?: AbortSignal;
}

export interface HttpClientResponse {
  readonly status: number;
  /** The URL after redirects. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
  /** The caller must read the body to its end, or cancel it. It fails when the connection breaks or ends too early. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Sends a GET, HEAD or POST request by http or https. Follows at most 10 redirects. Gives up when connecting takes more than 10 s or the host
 * sends nothing for 60 s. A response that keeps arriving has no time limit.
 */
export interface HttpClient {
  /**
   * Rejects with a PlatformError that names the URL: no response, no permitted address, an unsupported scheme, or too many
   * redirects.
   */
  get(url: string, options: HttpGetOptions): Promise<HttpClientResponse>;
}
