/** What the clients of HTTP wait beside hostile ones, and for a hot file what they wait for other servers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';

import { statusUpdates } from './api.ts';
import type { BenchContext, Row } from './benchmark.ts';
import { makeCertificate, type CertificatePair } from './certificate.ts';
import {
  delayRow,
  delaysOf,
  explainedRows,
  hostileClients,
  portOf,
  type Delays,
  type Ports,
} from './hostile-delays.ts';
import { httpLoad, requestText } from './http-load.ts';
import { addressesOf } from './machines.ts';
import { metadataRequest } from './metadata.ts';
import { MINIMAL_HTTP, startMinimalHttp } from './minimal-http.ts';
import { startNginx } from './nginx.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

const HARDWARE = 10_000;
const CONNECTIONS = 64;
const RATES = { updates: 1000, others: 2000 } as const;
/** More than the buffers of a connection hold. */
const LARGE_BYTES = 64 * 1024 ** 2;
const HOT_BYTES = 1024;

interface Load {
  readonly what: string;
  readonly requestsOf: (host: string) => readonly string[];
  /** Per second. */
  readonly rate: number;
}

const LOADS: readonly Load[] = [
  { what: 'status updates', requestsOf: statusUpdates, rate: RATES.updates },
  {
    what: 'iPXE scripts',
    requestsOf: (host) => each((index) => requestText({ host, path: scriptPath(index) })),
    rate: RATES.others,
  },
  {
    what: 'metadata',
    requestsOf: (host) => each((index) => metadataRequest(host, index, HARDWARE)),
    rate: RATES.others,
  },
];
const HOT_FILE: Load = {
  what: 'hot file of 1 KB',
  requestsOf: (host) => [requestText({ host, path: '/images/hot.txt' })],
  rate: RATES.others,
};

export async function webRows(context: BenchContext): Promise<readonly Row[]> {
  const site = await makeSite(context);
  const server = await startOurs(context, site);
  const rows: Row[] = [];
  for (const load of LOADS) rows.push(delayRow(nameOf(load), await webDelays(context, server, load)));
  const ours = await webDelays(context, server, HOT_FILE);
  await server.stop();
  const minimal = await webDelays(context, await startMinimal(context), HOT_FILE);
  const nginx = await webDelays(context, await startPeer(context, site), HOT_FILE);
  const others = {
    minimal: { name: MINIMAL_HTTP, delays: minimal },
    peer: { name: 'nginx', delays: nginx },
  };
  return [...rows, ...explainedRows(nameOf(HOT_FILE), ours, others)];
}

interface Site extends CertificatePair {
  readonly images: string;
}

async function makeSite(context: BenchContext): Promise<Site> {
  const images = join(context.directory, 'images');
  mkdirSync(images);
  writeFileSync(join(images, 'large.img'), Buffer.alloc(LARGE_BYTES));
  writeFileSync(join(images, 'hot.txt'), 'x'.repeat(HOT_BYTES));
  return { images, ...(await makeCertificate(context)) };
}

interface Subject {
  /** For the name of what is measured. Absent: ours. */
  readonly name?: string;
  readonly ports: Ports;
  readonly pid: number;
}

async function startOurs(
  context: BenchContext,
  { images, certFile, keyFile }: Site,
): Promise<Subject & { readonly stop: () => Promise<void> }> {
  const dataDirectory = join(context.directory, 'web');
  mkdirSync(dataDirectory);
  context.say(`storing ${HARDWARE} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), HARDWARE);
  const tls = await freePort();
  const own = [`--https-port=${tls}`, `--tls-cert-file=${certFile}`, `--tls-key-file=${keyFile}`];
  const flags = [`--images-dir=${images}`, '--trusted-proxies=127.0.0.1/32', ...own];
  const server = await startOnLoopback(context, { dataDirectory, flags });
  const ports = { http: portOf(server.url), http2: portOf(server.grpcAddress), tls };
  return { ports, pid: server.pid, stop: () => server.stop() };
}

/**
 * Its only port has neither HTTP/2 nor TLS: those who attack them get an error, and come back sooner. It has no large file, so those who do
 * not read fill no buffers.
 */
async function startMinimal(context: BenchContext): Promise<Subject> {
  const { url, pid } = await startMinimalHttp(context, HOT_BYTES);
  const port = portOf(url);
  return { name: 'a minimal program', ports: { http: port, http2: port, tls: port }, pid };
}

/** It logs no file that is missing, as ours does not. */
async function startPeer(context: BenchContext, { images, certFile, keyFile }: Site): Promise<Subject> {
  const ports = { http: await freePort(), http2: await freePort(), tls: await freePort() };
  const at = (port: number) => `listen 127.0.0.1:${port}`;
  const { workerPid } = await startNginx(context, {
    name: 'nginx',
    port: ports.tls,
    http: `server {
        ${at(ports.http)}; ${at(ports.http2)} http2; ${at(ports.tls)} ssl;
        ssl_certificate ${certFile}; ssl_certificate_key ${keyFile}; ssl_protocols TLSv1.3;
        log_not_found off; location /images/ { alias ${images}/; } }`,
  });
  return { name: 'nginx', ports, pid: workerPid() };
}

async function webDelays(context: BenchContext, { name, ports, pid }: Subject, load: Load): Promise<Delays> {
  const host = '127.0.0.1';
  const plan = {
    host,
    port: ports.http,
    requests: load.requestsOf(`${host}:${ports.http}`),
    rate: load.rate,
    sleeps: true,
    connections: CONNECTIONS,
    seconds: context.quick ? 2 : 5,
  };
  return await delaysOf(context, {
    name: name === undefined ? nameOf(load) : `${nameOf(load)}, ${name}`,
    hostile: hostileClients(ports),
    pid,
    p99: () => webDelay(context, plan),
  });
}

async function webDelay(context: BenchContext, plan: Parameters<typeof httpLoad>[1]): Promise<number> {
  const { failures, requests, p99Milliseconds } = await httpLoad(context, plan);
  if (failures > 0) throw new Error(`${failures} of ${requests} answers were not 200`);
  return p99Milliseconds;
}

function nameOf({ what, rate }: Load): string {
  return `${what} at ${rate}/s`;
}

function each(requestOf: (index: number) => string): readonly string[] {
  return Array.from({ length: HARDWARE }, (_, index) => requestOf(index));
}

function scriptPath(index: number): string {
  return `/ipxe/script/${addressesOf((index * 7919) % HARDWARE).mac}/auto.ipxe`;
}
