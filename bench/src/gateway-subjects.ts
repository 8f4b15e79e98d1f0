/**
 * The gateways that are measured, with the same configuration: TLS in front of h2c with a token, HTTP in
 * front of HTTP, and a limit of 500 per second.
 */
import { createPublicKey } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTokenSigner, newSigningKey } from '@tinkerbell/platform-jwt';
import { nodeClock } from '@tinkerbell/platform-node';
import { freePort } from '@tinkerbell/sandbox/free-port';

import type { BenchContext } from './benchmark.ts';
import { makeCertificate, type CertificatePair } from './certificate.ts';
import { isTaken, startNginx } from './nginx.ts';
import { needProgram, startProgram, untilReady } from './running-program.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

export const LIMIT_PER_SECOND = 500;

export interface Subject {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly limitedPort: number;
  readonly pid: number;
}

export interface Site {
  readonly upstream: { readonly grpcPort: number; readonly httpPort: number };
  readonly token: string;
  readonly files: CertificatePair & { readonly jwks: string; readonly publicKey: string };
}

/** Those that are compared. */
export type Gateways = Readonly<Record<'ours' | 'nginx' | 'haproxy' | 'minimal', Subject>>;

/** Each in a process of its own, so that a flood of HTTP does not delay the answers to gRPC. */
const UPSTREAMS = {
  grpc: fileURLToPath(new URL('gateway-grpc-upstream.ts', import.meta.url)),
  http: fileURLToPath(new URL('gateway-http-upstream.ts', import.meta.url)),
};
const ISSUER = 'https://issuer.example.org';

/** `httpPrefix` is the beginning of the command line of the upstream for HTTP, such as `taskset`. */
export async function startSite(context: BenchContext, httpPrefix: readonly string[] = []): Promise<Site> {
  const upstream = {
    grpcPort: await startUpstream(context, UPSTREAMS.grpc),
    httpPort: await startUpstream(context, UPSTREAMS.http, httpPrefix),
  };
  const key = await newSigningKey();
  const signer = await createTokenSigner({ key, issuer: ISSUER, clock: nodeClock });
  const [jwks, publicKey] = [join(context.directory, 'jwks.json'), join(context.directory, 'public.pem')];
  writeFileSync(jwks, JSON.stringify(signer.publicKeys));
  writeFileSync(publicKey, createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }));
  return {
    upstream,
    token: await signer.sign({ aud: 'tink', sub: 'bench' }, 3600),
    files: { ...(await makeCertificate(context)), jwks, publicKey },
  };
}

async function startUpstream(
  context: BenchContext,
  program: string,
  prefix: readonly string[] = [],
): Promise<number> {
  const port = await freePort();
  const [first, ...rest] = [...prefix, process.execPath];
  const running = startProgram(context, { command: [first, ...rest, program, String(port)] });
  await untilReady(running, () => isTaken(port));
  return port;
}

export async function startGateways(context: BenchContext, site: Site): Promise<Gateways> {
  return {
    ours: await startOurGateway(context, site),
    nginx: await startNginxGateway(context, site),
    haproxy: await startHaproxy(context, site),
    minimal: await startMinimalGateway(context, site),
  };
}

const threePorts = async (): Promise<Omit<Subject, 'pid'>> => ({
  grpcPort: await freePort(),
  httpPort: await freePort(),
  limitedPort: await freePort(),
});

export async function startOurGateway(context: BenchContext, { upstream, files }: Site): Promise<Subject> {
  const ports = await threePorts();
  const routes = join(context.directory, 'routes.yaml');
  const to = `endpoints: "127.0.0.1:${upstream.httpPort}"`;
  writeFileSync(
    routes,
    `listeners:
  - {name: grpc, address: 127.0.0.1, port: ${ports.grpcPort}, tls: {certificates: [{certFile: ${files.certFile}, keyFile: ${files.keyFile}}]}}
  - {name: http, address: 127.0.0.1, port: ${ports.httpPort}}
  - {name: limited, address: 127.0.0.1, port: ${ports.limitedPort}}
routes:
  - name: grpc
    listeners: [grpc]
    middlewares: {validateJwt: {issuer: "${ISSUER}", jwksFile: ${files.jwks}, audiences: [tink]}}
    upstream: {protocol: h2c, endpoints: "127.0.0.1:${upstream.grpcPort}"}
  - {name: http, listeners: [http], upstream: {${to}}}
  - {name: limited, listeners: [limited], middlewares: {rateLimit: {average: ${LIMIT_PER_SECOND}}}, upstream: {${to}}}
`,
  );
  const dataDirectory = join(context.directory, 'data');
  mkdirSync(dataDirectory);
  const others = ['smee', 'tink-server', 'tink-controller', 'images', 'tootles'];
  const { pid } = await startOnLoopback(context, {
    dataDirectory,
    flags: [
      ...others.map((name) => `--enable-${name}=false`),
      '--enable-gateway',
      `--gateway-config=${routes}`,
    ],
  });
  return { ...ports, pid };
}

const MINIMAL = fileURLToPath(new URL('minimal-gateway-program.ts', import.meta.url));

export const MINIMAL_GATEWAY = 'node:tls and node:http that pass bytes on';

/** It has no limits. */
export async function startMinimalGateway(
  context: BenchContext,
  { upstream, files }: Site,
): Promise<Subject> {
  const ports = await threePorts();
  const own = [ports.grpcPort, ports.httpPort, upstream.grpcPort, upstream.httpPort].map(String);
  const words = [process.execPath, '--max-semi-space-size=8', MINIMAL, files.certFile, files.keyFile, ...own];
  const program = startProgram(context, { command: ['env', 'MALLOC_ARENA_MAX=1', ...words] });
  await untilReady(program, async () => (await isTaken(ports.grpcPort)) && isTaken(ports.httpPort));
  return { ...ports, pid: program.pid };
}

/** Debian's nginx does not check tokens. */
async function startNginxGateway(context: BenchContext, { upstream, files }: Site): Promise<Subject> {
  const ports = await threePorts();
  const at = (port: number) => `listen 127.0.0.1:${port}`;
  const pass =
    'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_max_temp_file_size 0; proxy_pass http://plain;';
  const { workerPid } = await startNginx(context, {
    name: 'nginx-gateway',
    port: ports.grpcPort,
    http: `
      upstream grpc { server 127.0.0.1:${upstream.grpcPort}; keepalive 64; }
      upstream plain { server 127.0.0.1:${upstream.httpPort}; keepalive 64; }
      limit_req_zone $binary_remote_addr zone=each:10m rate=${LIMIT_PER_SECOND}r/s; limit_req_status 429;
      server { ${at(ports.grpcPort)} ssl http2; ssl_certificate ${files.certFile}; ssl_certificate_key ${files.keyFile};
        ssl_protocols TLSv1.3; location / { grpc_pass grpc://grpc; } }
      server { ${at(ports.httpPort)}; location / { ${pass} } }
      server { ${at(ports.limitedPort)}; location / { limit_req zone=each burst=${LIMIT_PER_SECOND} nodelay; ${pass} } }`,
  });
  return { ...ports, pid: workerPid() };
}

/** It counts in windows and has no token bucket, so its limit is not measured. */
export async function startHaproxy(context: BenchContext, { upstream, files }: Site): Promise<Subject> {
  const haproxy = needProgram('haproxy', 'haproxy');
  const ports = await threePorts();
  const both = join(context.directory, 'both.pem');
  writeFileSync(both, readFileSync(files.certFile, 'utf8') + readFileSync(files.keyFile, 'utf8'));
  const configuration = join(context.directory, 'haproxy.cfg');
  writeFileSync(
    configuration,
    `global
  nbthread 1
  maxconn 9000
defaults
  mode http
  timeout connect 5s
  timeout client 300s
  timeout server 300s
frontend grpc
  bind 127.0.0.1:${ports.grpcPort} ssl crt ${both} alpn h2
  http-request set-var(txn.token) http_auth_bearer
  http-request deny deny_status 401 unless { var(txn.token),jwt_verify("ES256","${files.publicKey}") -m int 1 }
  http-request deny deny_status 401 unless { var(txn.token),jwt_payload_query('$.iss') -m str ${ISSUER} }
  http-request deny deny_status 401 unless { var(txn.token),jwt_payload_query('$.aud') -m str tink }
  default_backend grpc
frontend http
  bind 127.0.0.1:${ports.httpPort}
  bind 127.0.0.1:${ports.limitedPort}
  default_backend http
backend grpc
  server one 127.0.0.1:${upstream.grpcPort} proto h2
backend http
  server one 127.0.0.1:${upstream.httpPort}
`,
  );
  const program = startProgram(context, { command: [haproxy, '-f', configuration] });
  await untilReady(program, () => isTaken(ports.grpcPort));
  return { ...ports, pid: program.pid };
}
