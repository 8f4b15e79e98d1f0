import { mkdirSync, writeFileSync } from 'node:fs';
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '@tinkerbell/sandbox/free-port';

import { rowOf, type BenchContext, type Benchmark, type Goal, type Row } from './benchmark.ts';
import { makeCertificate } from './certificate.ts';
import { fullLoad, middleOf, type Subject } from './http-rows.ts';
import { requestText } from './http-load.ts';
import { MINIMAL_HTTP, startMinimalHttp } from './minimal-http.ts';
import { MINIMAL_TLS, startMinimalTls } from './minimal-tls.ts';
import { startNginx } from './nginx.ts';
import { alternate, median } from './rounds.ts';
import { mustRun, needProgram, processorSeconds } from './running-program.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

const IMAGE_BYTES = 500 * 1024 ** 2;
const CLIENTS = [1, 8, 64];
/** Of the image in one round, so that a row moves 6 GB. */
const REPEATS = 4;
/** With 64 clients, how much waits in the kernel's queues differs from round to round, and with it what a copy costs. */
const ROUNDS = 7;
const HOT_BYTES = 1024;
const HOT_CONNECTIONS = 64;
const HOT_RATIO_GOAL = 0.8;
/** nginx sends plain files without reading them (sendfile), so over HTTP its processor time cannot be reached. */
const GOALS: Readonly<Record<'http' | 'https', Readonly<Record<'rate' | 'processor', Goal>>>> = {
  http: { rate: { ratio: 0.9 }, processor: { none: 'nginx sends plain files within the kernel' } },
  https: { rate: { ratio: 1.1 }, processor: { ratio: 1.25 } },
};

export const filesBenchmark: Benchmark = {
  name: 'files',
  summary:
    'an image of 500 MiB over HTTP and TLS 1.3 to 1, 8 and 64 clients, and a hot file of 1 KB; beside nginx with sendfile',
  async run(context) {
    const directory = join(context.directory, 'images');
    makeImages(directory);
    const [ours, nginx] = [await startOurs(context, directory), await startPeer(context, directory)];
    const { url, pid } = await startMinimalTls(context, join(directory, 'image.raw'));
    const minimal = { https: url, pid };
    const rows: Row[] = [];
    for (const scheme of ['http', 'https'] as const)
      for (const clients of CLIENTS)
        rows.push(...(await imageRows(context, { ours, nginx, minimal, scheme, clients })));
    return [...rows, ...(await hotRows(context, ours, nginx))];
  },
};

interface Source {
  readonly http: string;
  readonly https: string;
  readonly pid: number;
}

/** A file of random bytes, which is in the page cache once written. */
function makeImages(directory: string): void {
  mkdirSync(directory);
  writeFileSync(join(directory, 'image.raw'), randomFillSync(Buffer.alloc(IMAGE_BYTES)));
  writeFileSync(join(directory, 'hot.txt'), 'x'.repeat(HOT_BYTES));
}

async function startOurs(context: BenchContext, directory: string): Promise<Source> {
  const dataDirectory = join(context.directory, 'data');
  mkdirSync(dataDirectory);
  const { certFile, keyFile } = await makeCertificate(context);
  const port = await freePort();
  const tls = [`--https-port=${port}`, `--tls-cert-file=${certFile}`, `--tls-key-file=${keyFile}`];
  const { url, pid } = await startOnLoopback(context, {
    dataDirectory,
    flags: [`--images-dir=${directory}`, ...tls],
  });
  return { http: `${url}/images`, https: `https://localhost:${port}/images`, pid };
}

async function startPeer(context: BenchContext, directory: string): Promise<Source> {
  const { certFile, keyFile } = await makeCertificate(context);
  const [http, https] = [await freePort(), await freePort()];
  const tls = `ssl_certificate ${certFile}; ssl_certificate_key ${keyFile}; ssl_protocols TLSv1.3;`;
  const { workerPid } = await startNginx(context, {
    name: 'nginx',
    port: https,
    http: `server { listen 127.0.0.1:${http}; listen 127.0.0.1:${https} ssl; ${tls} root ${directory}; }`,
  });
  return { http: `http://127.0.0.1:${http}`, https: `https://localhost:${https}`, pid: workerPid() };
}

interface Transfer {
  readonly megabytesPerSecond: number;
  /** The processor time of the server. */
  readonly processorSecondsPerGigabyte: number;
}

/** Downloads the image several times, each client a part of it at a time, in one process of curl. */
async function transfer(
  context: BenchContext,
  url: string,
  { pid, clients }: { pid: number; clients: number },
) {
  const curl = needProgram('curl', 'curl');
  const size = Math.ceil(IMAGE_BYTES / clients);
  const parts = Array.from({ length: clients * REPEATS }, (_, part) => {
    const index = part % clients;
    const end = Math.min((index + 1) * size, IMAGE_BYTES) - 1;
    return [
      ...(part === 0 ? [] : ['--next']),
      '--silent',
      '--fail',
      '--insecure',
      '--http1.1',
      '--output',
      '/dev/null',
      '--range',
      `${index * size}-${end}`,
      url,
    ];
  });
  const before = processorSeconds(pid);
  const { seconds } = await mustRun(context, {
    command: [curl, '--parallel', '--parallel-immediate', '--parallel-max', String(clients), ...parts.flat()],
  });
  const used = processorSeconds(pid) - before;
  return {
    megabytesPerSecond: (REPEATS * IMAGE_BYTES) / 1e6 / seconds,
    processorSecondsPerGigabyte: (used * 1e9) / (REPEATS * IMAGE_BYTES),
  };
}

interface ImageRun {
  readonly ours: Source;
  readonly nginx: Source;
  /** Only over TLS: over HTTP, the kernel sends a file by itself. */
  readonly minimal: Pick<Source, 'https' | 'pid'>;
  readonly scheme: 'http' | 'https';
  readonly clients: number;
}

async function imageRows(
  context: BenchContext,
  { ours, nginx, minimal, scheme, clients }: ImageRun,
): Promise<readonly Row[]> {
  const at = (url: string, pid: number) => () => transfer(context, `${url}/image.raw`, { pid, clients });
  const contenders = { ours: at(ours[scheme], ours.pid), nginx: at(nginx[scheme], nginx.pid) };
  const rounds = context.quick ? 1 : ROUNDS;
  const found: Readonly<Record<'ours' | 'nginx', Transfer[]>> & { readonly minimal?: Transfer[] } =
    scheme === 'http'
      ? await alternate(rounds, contenders)
      : await alternate(rounds, { ...contenders, minimal: at(minimal.https, minimal.pid) });
  const name = `${scheme === 'http' ? 'HTTP' : 'TLS 1.3'}, ${clients} ${clients === 1 ? 'client' : 'clients'}`;
  const rowFor = (
    what: keyof Transfer,
    rest: { name: string; unit: string; better: 'higher' | 'lower'; goal: Goal },
  ): Row =>
    rowOf({
      ...rest,
      value: median(found.ours.map((one) => one[what])),
      peer: { name: 'nginx', value: median(found.nginx.map((one) => one[what])) },
      floor: found.minimal && {
        name: MINIMAL_TLS,
        value: median(found.minimal.map((one) => one[what])),
      },
    });
  return [
    rowFor('megabytesPerSecond', { name, unit: 'MB/s', better: 'higher', goal: GOALS[scheme].rate }),
    rowFor('processorSecondsPerGigabyte', {
      name: `${name}: processor time`,
      unit: 's/GB',
      better: 'lower',
      goal: GOALS[scheme].processor,
    }),
  ];
}

async function hotRows(context: BenchContext, ours: Source, nginx: Source): Promise<readonly Row[]> {
  const subject = ({ http, pid }: Source): Subject => {
    const { origin, host, pathname } = new URL(`${http}/hot.txt`);
    return { url: origin, pid, requests: [requestText({ host, path: pathname })] };
  };
  const plan = { connections: HOT_CONNECTIONS, seconds: context.quick ? 2 : 5 };
  const minimal = await startMinimalHttp(context, HOT_BYTES);
  await fullLoad(context, subject(ours), { ...plan, seconds: 1 });
  const found = await alternate(context.quick ? 1 : 3, {
    ours: () => fullLoad(context, subject(ours), plan),
    nginx: () => fullLoad(context, subject(nginx), plan),
    minimal: () => fullLoad(context, minimal, plan),
  });
  return [
    rowOf({
      name: 'hot file of 1 KB',
      value: middleOf(found.ours).perSecond,
      unit: '/s',
      better: 'higher',
      peer: { name: 'nginx', value: middleOf(found.nginx).perSecond },
      floor: { name: MINIMAL_HTTP, value: middleOf(found.minimal).perSecond },
      goal: { ratio: HOT_RATIO_GOAL },
    }),
  ];
}
