import type { BenchContext } from '../benchmark.ts';
import { requestText, SERVER_PROCESSOR } from '../http-load.ts';
import { fullLoad } from '../http-rows.ts';
import { addressesOf } from '../machines.ts';
import { metadataRequest } from '../metadata.ts';
import { startOnLoopback } from '../tinkerbell-server.ts';
import type { StartOperations } from './operation.ts';
import { siteOf } from './site.ts';

const HARDWARE = 10_000;
const CONNECTIONS = 64;
const SECONDS = 3;

export const startScriptOperations: StartOperations = async (context, checkout) => {
  const macOf = (index: number) => addressesOf((index * 7919) % HARDWARE).mac;
  return await startRequests(context, checkout, {
    name: 'iPXE script',
    flags: [],
    requestOf: (host, index) => requestText({ host, path: `/ipxe/script/${macOf(index)}/auto.ipxe` }),
  });
};

export const startMetadataOperations: StartOperations = (context, checkout) =>
  startRequests(context, checkout, {
    name: 'metadata leaf',
    flags: ['--trusted-proxies=127.0.0.1/32'],
    requestOf: (host, index) => metadataRequest(host, index, HARDWARE),
  });

interface Requests {
  readonly name: string;
  readonly flags: readonly string[];
  readonly requestOf: (host: string, index: number) => string;
}

async function startRequests(context: BenchContext, checkout: string, { name, flags, requestOf }: Requests) {
  const dataDirectory = await siteOf(context, checkout, HARDWARE);
  const options = { dataDirectory, flags, prefix: SERVER_PROCESSOR, checkout };
  const { url, pid } = await startOnLoopback(context, options);
  const { host } = new URL(url);
  const requests = Array.from({ length: HARDWARE }, (_, index) => requestOf(host, index));
  const plan = { connections: CONNECTIONS, seconds: SECONDS };
  const measure = async () => (await fullLoad(context, { url, requests, pid }, plan)).microseconds;
  return [{ name, unit: 'us', measure }];
}
