/** A registry in a folder of its own, called directly. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authorizer, Clock, HttpContext, Log } from '@tinkerbell/platform-contract';
import {
  createNodeHttpClient,
  nodeClock,
  nodeFiles,
  nodeRandom,
  openNodeTree,
} from '@tinkerbell/platform-node';
import { createRegistryService } from '../registry-service.ts';
import type { RegistryConfig, RegistryDeps } from '../registry.ts';

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };
const everything: Authorizer = { decide: () => ({ allowed: true, reason: 'a test' }), rulesOf: () => [] };
const context: HttpContext = {
  peer: { address: '192.0.2.1', port: 1024 },
  localAddress: '192.0.2.2',
  signal: new AbortController().signal,
};

/** A clock whose wall time is ahead of the machine's by what the test chose. */
export class AheadClock implements Clock {
  aheadMs = 0;
  nowMs = (): number => nodeClock.nowMs() + this.aheadMs;
  monotonicMs = (): number => nodeClock.monotonicMs() + this.aheadMs;
  schedule = (delayMs: number, task: () => void) => nodeClock.schedule(delayMs, task);
}

export interface BenchOptions {
  readonly deps?: Partial<RegistryDeps>;
  readonly config?: Partial<RegistryConfig>;
  readonly context?: Partial<HttpContext>;
}

export type RegistryBench = Awaited<ReturnType<typeof startRegistry>>;

export async function startRegistry({ deps, config, context: given }: BenchOptions = {}) {
  const directory = config?.directory ?? mkdtempSync(join(tmpdir(), 'tinkerbell-registry-'));
  const stop = new AbortController();
  const clock = new AheadClock();
  const service = createRegistryService(
    {
      files: nodeFiles,
      openTree: openNodeTree,
      clock,
      random: nodeRandom,
      log: silentLog,
      httpClient: createNodeHttpClient(),
      authorizer: everything,
      ...deps,
    },
    { directory, anonymousPull: false, ...config },
  );
  await service.start(stop.signal);
  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const route = service.routes.find(({ prefix }) => pathname.startsWith(prefix));
    return (await route?.handle(request, { ...context, ...given })) ?? new Response('', { status: 404 });
  };
  return {
    service,
    directory,
    clock,
    call: (method: string, path: string, init: RequestInit = {}) =>
      handle(new Request(`http://registry.example${path}`, { method, ...init, ...streaming(init) })),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await service.stopped();
      if (config?.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

function streaming({ body }: RequestInit): RequestInit {
  return body instanceof ReadableStream ? { duplex: 'half' } : {};
}
