/**
 * Runs the product as a user starts it: its own program, its own flags, the same environment and Node flags
 * as `npm start`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tinkerbell/sandbox/free-port';

import type { BenchContext } from './benchmark.ts';
import type { NetworkNamespace } from './network-namespace.ts';
import { startProgram, untilReady, type RunningProgram } from './running-program.ts';

/** The root of this checkout. */
export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const SERVER_MAIN = 'apps/server/src/main.mjs';
/** Where a checkout names the Node flags of its `npm start`. */
const START_FILES = ['bin/tinkerbell', 'package.json'];
const START_FLAGS = /--(?:max-semi-space-size=\d+|(?:sparkplug|maglev|turbo)-filter=none)/g;
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };
const READY = /"message":"ready"/;

export interface ServerOptions {
  readonly dataDirectory: string;
  readonly flags: readonly string[];
  readonly network?: NetworkNamespace;
  /** The beginning of the command line, such as `taskset`. */
  readonly prefix?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The root of the checkout whose server runs (default: this one). */
  readonly checkout?: string;
}

export interface TinkerbellServer extends RunningProgram {
  /** From the start of the process to its line `ready`. */
  readonly readySeconds: number;
}

export async function startTinkerbell(
  context: BenchContext,
  options: ServerOptions,
): Promise<TinkerbellServer> {
  const { dataDirectory, flags, network, environment, prefix = [], checkout = CHECKOUT } = options;
  const [first, ...rest] = [...prefix, process.execPath];
  const startedMs = performance.now();
  const program = startProgram(context, {
    command: [
      first,
      ...rest,
      ...nodeFlagsOf(checkout),
      join(checkout, SERVER_MAIN),
      `--data-dir=${dataDirectory}`,
      '--log-format=json',
      ...(checkout === CHECKOUT ? flags : flagsKnownIn(checkout, flags)),
    ],
    network,
    environment: { ...ENVIRONMENT, ...environment },
  });
  let readyMs = Number.NaN;
  for (const stream of [program.process.stdout, program.process.stderr]) {
    stream?.on('data', () => {
      if (Number.isNaN(readyMs) && READY.test(program.output())) readyMs = performance.now();
    });
  }
  await untilReady(program, () => !Number.isNaN(readyMs), 1);
  return { ...program, readySeconds: (readyMs - startedMs) / 1000 };
}

function nodeFlagsOf(checkout: string): string[] {
  for (const file of START_FILES) {
    const path = join(checkout, file);
    const found = existsSync(path) ? readFileSync(path, 'utf8').match(START_FLAGS) : null;
    if (found !== null) return [...found];
  }
  return [];
}

/** Returns the flags that an older server has too. */
function flagsKnownIn(checkout: string, flags: readonly string[]): string[] {
  const { stdout } = spawnSync(process.execPath, [join(checkout, SERVER_MAIN), '--help'], {
    encoding: 'utf8',
  });
  const known = new Set(stdout.match(/--[a-z0-9-]+/g));
  return flags.filter((flag) => known.has(flag.split('=', 1)[0] ?? ''));
}

export interface LoopbackServer extends TinkerbellServer {
  readonly url: string;
  readonly grpcAddress: string;
}

/** Runs the whole product on loopback, on ports that were free a moment ago. */
export async function startOnLoopback(
  context: BenchContext,
  options: Omit<ServerOptions, 'flags' | 'network'> & { readonly flags?: readonly string[] },
): Promise<LoopbackServer> {
  const address = '127.0.0.1';
  const [http, grpc, dhcp, tftp] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const flags = [
    `--public-ipv4=${address}`,
    `--bind-address=${address}`,
    `--dhcp-bind-addr=${address}`,
    `--http-port=${http}`,
    `--tink-server-bind-port=${grpc}`,
    `--dhcp-bind-port=${dhcp}`,
    `--tftp-server-bind-port=${tftp}`,
    '--tootles-legacy-port=0',
    '--local-api-port=0',
    // On loopback only. The API is measured here, and tokens have their own row elsewhere.
    '--api-anonymous=everyone',
    '--syslog-enabled=false',
    ...(options.flags ?? []),
  ];
  const server = await startTinkerbell(context, { ...options, flags });
  return { ...server, url: `http://${address}:${http}`, grpcAddress: `${address}:${grpc}` };
}
