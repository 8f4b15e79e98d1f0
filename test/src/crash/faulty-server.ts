/** The real server on fixed ports and one data folder, started repeatedly, each time with another fault. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { pause } from './simulated-agent.ts';

const main = join(import.meta.dirname, '../../../apps/server/src/main.mjs');
const ADDRESS = '127.0.0.1';
const START_LIMIT_MS = 60_000;
const GROUP_LOOKS_MAX = 500;
const GROUP_LOOK_MS = 10;
const CALLS_LIMIT_MS = 2_000;

/** After each fault but `paused` the server is gone. */
export type Fault =
  | { readonly kind: 'none' }
  /** SIGKILL this long after it was ready, or after its start. */
  | { readonly kind: 'killed'; readonly afterMs: number; readonly since: 'ready' | 'start' }
  /** The kernel kills it during the n-th of these system calls. */
  | { readonly kind: 'killed-in-call'; readonly call: 'fdatasync' | 'pwrite64'; readonly number: number }
  /** It is stopped for this long, then continues, and is killed later. */
  | { readonly kind: 'paused'; readonly forMs: number; readonly afterMs: number }
  /** Its clock is wrong by this much, and right again at the next start. */
  | { readonly kind: 'clock-skewed'; readonly bySeconds: number; readonly afterMs: number };

export interface ServerPlace {
  readonly dataDirectory: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Flags besides those that every server of a run has. */
  readonly flags?: readonly string[];
}

export function urlOf({ httpPort }: ServerPlace): string {
  return `http://${ADDRESS}:${httpPort}`;
}

export function grpcAddressOf({ grpcPort }: ServerPlace): string {
  return `${ADDRESS}:${grpcPort}`;
}

/** Ports on which nobody listens now. */
export async function newPlace(dataDirectory: string): Promise<ServerPlace> {
  return { dataDirectory, httpPort: await freePort(), grpcPort: await freePort() };
}

/** Runs through one fault. Resolves when the server is gone. @throws Error when it ends otherwise. */
export async function liveThrough(place: ServerPlace, fault: Fault): Promise<void> {
  const server = start(place, prefixOf(fault));
  if (fault.kind === 'killed' && fault.since === 'start') {
    await pause(fault.afterMs);
    return server.kill();
  }
  const isReady = await server.ready;
  if (fault.kind === 'killed-in-call') {
    // A server that makes fewer such calls is killed after a while.
    await Promise.race([server.ended, pause(CALLS_LIMIT_MS)]);
    return server.kill();
  }
  if (!isReady) throw new Error(`the server did not start after a crash:\n${server.said().join('\n')}`);
  if (fault.kind === 'none') return;
  await pause(fault.afterMs);
  if (fault.kind === 'paused') {
    server.signal('SIGSTOP');
    await pause(fault.forMs);
    server.signal('SIGCONT');
    await pause(fault.afterMs);
  }
  await server.kill();
}

export interface WellServer extends AsyncDisposable {
  /** Its log so far. */
  said(): readonly string[];
}

/** Starts a server without faults. */
export async function startWell(place: ServerPlace): Promise<WellServer> {
  const server = start(place, []);
  if (!(await server.ready)) throw new Error(`the server did not start:\n${server.said().join('\n')}`);
  return { said: server.said, [Symbol.asyncDispose]: () => server.kill() };
}

function prefixOf(fault: Fault): readonly string[] {
  switch (fault.kind) {
    case 'killed-in-call': {
      const { call, number } = fault;
      const inject = `inject=${call}:signal=KILL:when=${number}`;
      return ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
    }
    case 'clock-skewed':
      return ['faketime', '-f', `${fault.bySeconds >= 0 ? '+' : ''}${fault.bySeconds}s`];
    default:
      return [];
  }
}

function start(
  { dataDirectory, httpPort, grpcPort, flags: others = [] }: ServerPlace,
  prefix: readonly string[],
) {
  const flags = [
    `--data-dir=${dataDirectory}`,
    `--bind-address=${ADDRESS}`,
    `--http-port=${httpPort}`,
    `--tink-server-bind-port=${grpcPort}`,
    '--enable-smee=false',
    '--enable-images=false',
    '--enable-tootles=false',
    '--syslog-enabled=false',
    '--log-format=json',
    '--local-api-port=0',
    // This tests what is stored, not who may write it.
    '--api-anonymous=everyone',
    ...others,
  ];
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, main, ...flags];
  // It gets its own process group, because strace and faketime would leave the server behind.
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const ended = once(child, 'exit').then(() => undefined);
  const lines: string[] = [];
  const ready = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"message":"ready"')) resolve(true);
    });
    void ended.then(() => resolve(false));
    // Callers that are done do not wait for it.
    setTimeout(() => resolve(false), START_LIMIT_MS).unref();
  });
  const signal = (name: NodeJS.Signals) => signalGroup(child, name);
  return {
    ready,
    ended,
    said: () => lines,
    signal,
    async kill() {
      signal('SIGKILL');
      await ended;
      await untilGroupEnds(child);
      forgetFakeTime(child);
    },
  };
}

/** Removes files of a killed faketime, which block a later one with the same process id. */
function forgetFakeTime({ pid }: ChildProcess): void {
  for (const name of ['faketime_shm_', 'sem.faketime_sem_'])
    rmSync(`/dev/shm/${name}${pid}`, { force: true });
}

/** Behind strace and faketime, the server may end after them, and until then it holds its folder. */
async function untilGroupEnds({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  for (let look = 0; look < GROUP_LOOKS_MAX; look += 1) {
    try {
      process.kill(-pid, 0);
    } catch {
      return;
    }
    await pause(GROUP_LOOK_MS);
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}
