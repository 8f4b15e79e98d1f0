/** The contents of a route file, parsed and checked. Times are milliseconds, sizes bytes. */
import type { RE2JS } from 're2js';
import type { IpNetwork } from '@tinkerbell/wire';
import type { HealthThresholds } from './endpoint-health.ts';

export interface RouteFile {
  readonly listeners: readonly ListenerSettings[];
  readonly routes: readonly RouteSettings[];
  readonly forwards: readonly ForwardSettings[];
  /** Proxies in front of the gateway whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly IpNetwork[];
}

export interface ListenerSettings {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Absent: plain HTTP/1.1 and h2c. */
  readonly tls?: TlsSettings | undefined;
  readonly connectionsMax: number;
}

export interface TlsSettings {
  /** The first certificate is for clients that send no server name, or one without a certificate. */
  readonly certificates: readonly CertificateFiles[];
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Clients must present a certificate of this authority. */
  readonly clientCaFile?: string | undefined;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface RouteSettings {
  readonly name: string;
  /** Names of listeners (default: all). */
  readonly listeners: readonly string[];
  /** Higher priorities come first, and among equals the most specific. */
  readonly priority: number;
  readonly match: MatchSettings;
  readonly middlewares: MiddlewareSettings;
  readonly upstream: UpstreamSettings;
}

export interface MatchSettings {
  /** Lower case. `*.example.org` matches one label or more before `.example.org`. */
  readonly host?: string | undefined;
  readonly sni?: string | undefined;
  /** Whole path elements: `/a` matches `/a` and `/a/b`, not `/ab`. */
  readonly pathPrefix?: string | undefined;
  /** Anchored at the start of the path. */
  readonly pathRegex?: RE2JS | undefined;
  /** Lower-case names, with the required value, or any. */
  readonly headers: ReadonlyMap<string, string | true>;
  readonly grpcService?: string | undefined;
  readonly grpcMethod?: string | undefined;
}

export interface MiddlewareSettings {
  readonly ipAllow?: readonly IpNetwork[] | undefined;
  readonly rateLimit?: { readonly average: number; readonly burst: number } | undefined;
  /** Active requests of one source address. */
  readonly maxConnections?: number | undefined;
  readonly cors?: CorsSettings | undefined;
  readonly validateJwt?: JwtSettings | undefined;
  readonly rewrite?: { readonly regex: RE2JS; readonly replacement: string } | undefined;
  readonly headers?: HeaderSettings | undefined;
  readonly compress: boolean;
  readonly bodyBytesMax?: number | undefined;
  /** From the request's last byte to the response's first. */
  readonly answerTimeoutMs?: number | undefined;
}

export interface JwtSettings {
  readonly issuer: string;
  readonly jwksUrl?: string | undefined;
  readonly jwksFile?: string | undefined;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly requiredClaims: Readonly<Record<string, string | true>>;
  /** Lower-case header by claim. Clients' own headers of these names are never forwarded. */
  readonly claimsToHeaders: ReadonlyMap<string, string>;
}

export interface CorsSettings {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
}

/** An empty value removes the header. */
export interface HeaderSettings {
  readonly request: ReadonlyMap<string, string>;
  readonly response: ReadonlyMap<string, string>;
}

export interface UpstreamSettings {
  readonly protocol: 'http/1.1' | 'h2c' | 'h2';
  readonly endpoints: readonly Endpoint[];
  /** For `h2`: the certificate authority of the upstream (default: the well-known authorities). */
  readonly caFile?: string | undefined;
  readonly serverName?: string | undefined;
  readonly healthCheck?: HealthCheckSettings | undefined;
  /** The number of further endpoints tried when that is safe. */
  readonly retries: number;
}

export interface HealthCheckSettings extends HealthThresholds {
  /** Checked with GET, and healthy below status 500. Absent: a TCP connection is sufficient. */
  readonly path?: string | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface ForwardSettings {
  readonly name: string;
  readonly protocol: 'tcp' | 'udp';
  readonly address: string;
  readonly port: number;
  readonly endpoints: readonly Endpoint[];
  /** TCP: sends the client's address to the upstream (version 2). */
  readonly proxyProtocol: boolean;
  readonly idleMs: number;
  /** The limit of simultaneous TCP connections, or of UDP clients. */
  readonly sessionsMax: number;
}
