/** A boot service with only the ISO route, for tests. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ISO_MAGIC } from '@tinkerbell/netboot';
import {
  createNodeHttpClient,
  nodeClock,
  nodeFiles,
  nodeUdp,
  openNodeDirectory,
} from '@tinkerbell/platform-node';
import type { Clock } from '@tinkerbell/platform-contract';
import { samplesOf } from '@tinkerbell/platform-metrics';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { ipNetwork } from '@tinkerbell/wire';
import { createBootService, type IsoConfig } from '../index.ts';
import { fixedView, machine, MAC, rackConfig, recordingJournal, silentLog } from './rack.ts';

const parent = mkdtempSync(join(tmpdir(), 'boot-iso-'));
after(() => rmSync(parent, { recursive: true }));

export const ISO_PATH = `/iso/${MAC.replaceAll(':', '-')}/hook.iso`;
const loopback = [ipNetwork('127.0.0.1')];
const here = { hostNames: [], networks: loopback };

export function sourced(sourceISO: string): Hardware {
  const made = machine();
  const interfaces = (made.spec?.interfaces ?? []).map((each) => ({ ...each, isoboot: { sourceISO } }));
  return { ...made, spec: { ...made.spec, interfaces } };
}

/** A boot service with only this route, and the source that it asks. */
export async function startIsoServer(
  change: Partial<IsoConfig> = {},
  options: { hardware?: readonly Hardware[]; workflows?: readonly Workflow[]; clock?: Clock } = {},
) {
  const journal = recordingJournal();
  const iso: IsoConfig = {
    ownDirectory: join(parent, 'none'),
    magic: ISO_MAGIC,
    staticIpam: false,
    allowed: here,
    cacheDirectory: mkdtempSync(join(parent, 'cache-')),
    cacheBytesMax: 100_000_000,
    ...change,
  };
  const { tftp: _, ...config } = rackConfig({ iso });
  const view = fixedView(options.hardware ?? [machine()], options.workflows);
  const httpClient = createNodeHttpClient();
  const clock = options.clock ?? nodeClock;
  const common = { udp: nodeUdp, files: nodeFiles, clock, log: silentLog, view, journal };
  const service = createBootService({ ...common, httpClient, openDirectory: openNodeDirectory }, config);
  const stopping = new AbortController();
  await service.start(stopping.signal);
  const context = { peer: { address: '192.0.2.1', port: 1 }, localAddress: '192.0.2.2' };
  return {
    iso,
    journal,
    counters: () => samplesOf(service.metrics),
    async ask(
      path = ISO_PATH,
      init: { method?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
    ) {
      const { signal = new AbortController().signal, ...rest } = init;
      const route = service.routes.find(({ prefix }) => path.startsWith(prefix));
      const response = await route?.handle(new Request(`http://server${path}`, rest), { ...context, signal });
      assert.ok(response !== undefined);
      return response;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await service.stopped();
    },
  };
}

export const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

export function ownDirectory(image: Uint8Array): string {
  const directory = mkdtempSync(join(parent, 'own-'));
  writeFileSync(join(directory, 'hook-x86_64.iso'), image);
  return directory;
}

export const PATCH = `console=ttyAMA0 console=ttyS0 console=tty0 console=tty1 console=ttyS1 hw_addr=${MAC} syslog_host= grpc_authority=192.168.77.1:42113 tinkerbell_tls=false worker_id=${MAC}`;

/** A clock that the test sets. Its timers never fire by themselves. */
export function handClock() {
  let nowMs = 0;
  const tasks = new Set<{ readonly atMs: number; readonly task: () => void }>();
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, task) {
      const entry = { atMs: nowMs + delayMs, task };
      tasks.add(entry);
      return () => void tasks.delete(entry);
    },
  };
  const advance = (ms: number) => {
    nowMs += ms;
    for (const entry of tasks) if (entry.atMs <= nowMs && tasks.delete(entry)) entry.task();
  };
  return { clock, advance };
}
