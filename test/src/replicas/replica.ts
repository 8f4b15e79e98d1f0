/**
 * One of several real servers on one PostgreSQL, on its own ports and data folder. It is killed and started
 * again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { grpcAddressOf, newPlace, urlOf } from '../crash/faulty-server.ts';
import { pause } from '../crash/simulated-agent.ts';

const main = join(import.meta.dirname, '../../../apps/server/src/main.mjs');
const ADDRESS = '127.0.0.1';
const START_LIMIT_MS = 60_000;

export interface Replica extends AsyncDisposable {
  readonly url: string;
  readonly grpcAddress: string;
  /** Resolves when it answers. @throws Error with its log when it does not. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Returns whether the workflow controller runs here. Returns false when the server does not answer. */
  isLeading(): Promise<boolean>;
}

export async function newReplica(postgresUrl: string): Promise<Replica> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tinkerbell-replica-'));
  const place = await newPlace(dataDirectory);
  const url = urlOf(place);
  let kill = (): Promise<void> => Promise.resolve();
  return {
    url,
    grpcAddress: grpcAddressOf(place),
    async start() {
      kill = await startServer(
        [
          `--data-dir=${dataDirectory}`,
          `--bind-address=${ADDRESS}`,
          `--http-port=${place.httpPort}`,
          `--tink-server-bind-port=${place.grpcPort}`,
          '--store=postgres',
          '--enable-smee=false',
          '--enable-images=false',
          '--enable-tootles=false',
          '--log-format=json',
          '--local-api-port=0',
          '--api-anonymous=everyone',
        ],
        postgresUrl,
      );
    },
    kill: () => kill(),
    isLeading: () => isLeading(url),
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function startServer(flags: readonly string[], postgresUrl: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [main, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C is for the program that runs this. Servers are needed until the end.
    detached: true,
    env: { ...process.env, TINKERBELL_POSTGRES_URL: postgresUrl },
  });
  const ended = once(child, 'exit').then(() => undefined);
  const lines: string[] = [];
  const isReady = await new Promise<boolean>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"message":"ready"')) resolve(true);
    });
    void ended.then(() => resolve(false));
    void pause(START_LIMIT_MS).then(() => resolve(false));
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  if (isReady) return kill;
  await kill();
  throw new Error(`the server did not start:\n${lines.join('\n')}`);
}

async function isLeading(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return (await response.text()).includes('tinkerbell_leading{name="controller"} 1');
  } catch {
    return false;
  }
}
