import type { User } from '@tinkerbell/access';
import type { ClientCertificate } from './access.ts';

export interface HttpPeer {
  /** The client's address as the socket knows it; a v4-mapped v6 address is given as IPv4. */
  readonly address: string;
  readonly port: number;
}

export interface HttpContext {
  readonly peer: HttpPeer;
  /** The address of ours that the client reached. */
  readonly localAddress: string;
  /** Aborts when the client goes away or the server stops. */
  readonly signal: AbortSignal;
  /** What the client showed, where the listener asks for it. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Whose request it is, on routes for which the front of the server finds that out. */
  readonly user?: User;
}

/** What a handler may read of a request. Every fetch Request is one; the listener's own are cheaper to make. */
export type HttpRequest = Pick<
  Request,
  'method' | 'url' | 'signal' | 'body' | 'text' | 'json' | 'arrayBuffer'
> & {
  readonly headers: Pick<Headers, 'get' | 'has'> & { keys(): Iterable<string> };
  /** The body piece by piece, where the listener has it cheaper than as a stream; instead of `body`, not beside it. */
  chunks?(): AsyncIterable<Uint8Array>;
};

/** Answers one request. A handler that throws is answered 500 and logged by the listener. */
export type HttpHandler = (request: HttpRequest, context: HttpContext) => Promise<Response>;

/**
 * Who may use a route. Callers of `api` are authenticated before its handler runs. The handlers of the other kinds check
 * what they need themselves: an agent's session (`agent`), the address of a machine that boots (`machine`), or nothing (`public`).
 */
type RouteAccess = 'api' | 'agent' | 'machine' | 'public';

interface Route {
  /** Shown in logs and metrics. */
  readonly name: string;
  /** Path prefix, for example `/ipxe/script/`. */
  readonly prefix: string;
  handle(request: HttpRequest, context: HttpContext): Promise<Response | undefined>;
}

export interface ApiRoute extends Route {
  readonly access: 'api';
  /** The answer to a caller that was rejected; a Kubernetes Status when absent. */
  rejection?(message: string, status?: 400 | 401 | 403): Response;
  /** Called after a caller was rejected. Never throws and never waits. */
  onRejected?(request: HttpRequest, context: HttpContext, status: 400 | 401 | 403): void;
  /** Whether a path describes the API itself and may be read without a credential. No path may when absent. */
  isPublic?(path: string): boolean;
}

/**
 * One entry of an ordered list. The first route answers whose `prefix` begins the path and whose handler does not
 * decline (undefined).
 */
export type HttpRoute = ApiRoute | (Route & { readonly access: Exclude<RouteAccess, 'api'> });

export interface HttpListenOptions {
  readonly port: number;
  readonly address?: string;
  /** PEM texts; with them the port speaks TLS 1.2 or newer only. */
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    /** Authorities whose client certificates are believed; clients are asked for one when it is there. */
    readonly clientAuthorities?: string;
  };
}

export interface HttpServer extends AsyncDisposable {
  readonly local: { readonly address: string; readonly port: number };
  /** Stops accepting, ends idle connections, and gives running answers `graceMs` to finish. */
  close(graceMs?: number): Promise<void>;
}

export interface Http {
  /** Rejects with a PlatformError of code `address-in-use` that names the program holding the port when it can be found. */
  listen(options: HttpListenOptions, handler: HttpHandler): Promise<HttpServer>;
}
