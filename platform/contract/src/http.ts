import type { User } from '@tinkerbell/access';
import type { ClientCertificate } from './access.ts';
import type { Awaitable } from './awaitable.ts';

export interface HttpPeer {
  /** The client's address as the socket reports it. An IPv4-mapped IPv6 address is given as IPv4. */
  readonly address: string;
  readonly port: number;
}

export interface HttpContext {
  readonly peer: HttpPeer;
  /** The server address that the client connected to. */
  readonly localAddress: string;
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** The client certificate, where the listener requests one. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** The authenticated user, on routes where the front of the server authenticates callers. */
  readonly user?: User;
}

/**
 * The parts of a request that a handler may read. Every fetch Request is one. The listener's own objects are cheaper to create.
 */
export type HttpRequest = Pick<
  Request,
  'method' | 'url' | 'signal' | 'body' | 'text' | 'json' | 'arrayBuffer'
> & {
  readonly headers: Pick<Headers, 'get' | 'has'> & { keys(): Iterable<string> };
  /**
   * The body in pieces, where the listener can provide it more cheaply than as a stream. Read this or `body`, not both. Each piece
   * belongs to the reader, who may release its memory.
   */
  chunks?(): AsyncIterable<Uint8Array>;
  /** The body may take as long as bytes arrive. Without this call, the listener cuts off a client whose body takes more than 30 s. */
  expectLongBody?(): void;
};

/** Answers one request. When a handler throws, the listener answers 500 and logs the error. */
export type HttpHandler = (request: HttpRequest, context: HttpContext) => Awaitable<Response>;

/**
 * The callers that may use a route. Callers of `api` are authenticated before its handler runs. The handlers of the other kinds
 * check what they need themselves: an agent's session (`agent`), the address of a booting machine (`machine`), or nothing
 * (`public`).
 */
type RouteAccess = 'api' | 'agent' | 'machine' | 'public';

interface Route {
  /** The name shown in logs and metrics. */
  readonly name: string;
  /** The path prefix, for example `/ipxe/script/`. */
  readonly prefix: string;
  handle(request: HttpRequest, context: HttpContext): Awaitable<Response | undefined>;
}

export interface ApiRoute extends Route {
  readonly access: 'api';
  /** Returns the response to a rejected caller. Default: a Kubernetes Status. */
  rejection?(message: string, status?: 400 | 401 | 403): Response;
  /**
   * Returns the Authorization that the request means, for clients that send a token in another form. Undefined: none. Default: the
   * header of that name.
   */
  readonly authorizationOf?: (request: HttpRequest) => string | undefined;
  /** Called after a caller was rejected. Never throws and never waits. */
  onRejected?(request: HttpRequest, context: HttpContext, status: 400 | 401 | 403): void;
  /** Returns true for a path that may be read without a credential, or whose handler decides that. Default: no path. */
  isPublic?(path: string): boolean;
  /** The methods for which `isPublic` counts. Default: GET and HEAD. */
  readonly publicMethods?: readonly string[];
}

/**
 * One entry of an ordered list. The first route answers whose `prefix` matches the start of the path and whose handler does not
 * decline (returns undefined).
 */
export type HttpRoute = ApiRoute | (Route & { readonly access: Exclude<RouteAccess, 'api'> });

export interface HttpListenOptions {
  readonly port: number;
  readonly address?: string;
  /** PEM texts. With them, the port accepts only TLS 1.2 or newer. */
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    /** The authorities trusted for client certificates. When set, clients are asked for a certificate. */
    readonly clientAuthorities?: string;
  };
}

export interface HttpServer extends AsyncDisposable {
  readonly local: { readonly address: string; readonly port: number };
  /** Stops accepting connections, closes idle ones, and gives active responses `graceMs` to finish. */
  close(graceMs?: number): Promise<void>;
}

export interface Http {
  /**
   * Rejects with a PlatformError of code `address-in-use`. The error names the program that holds the port, if it can be found.
   */
  listen(options: HttpListenOptions, handler: HttpHandler): Promise<HttpServer>;
}
