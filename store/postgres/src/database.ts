/** Connections to one PostgreSQL. Their number and time are limited, and lost connections are replaced. */
import { delay, PlatformError, type Clock, type Log } from '@tinkerbell/platform-contract';
import pg from 'pg';
import { prepareSchema } from './schema.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. Never logged. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly connectionsMax: number;
}

type Row = Readonly<Record<string, unknown>>;

const CONNECT_LIMIT_MS = 3_000;
/** A statement reads a page or writes a group of commits. */
const STATEMENT_LIMIT_MS = 15_000;
/**
 * A server that was stopped in the middle of a transaction holds the one row that every writer needs. PostgreSQL ends the
 * transaction after this time, and the others continue.
 */
const IDLE_TRANSACTION_LIMIT_MS = 2_000;
const IDLE_CONNECTION_MS = 30_000;
/** The number of retries of a read after a lost connection. A standby needs seconds to take over. */
const READ_RETRIES_MS = [20, 200, 1_000] as const;

/** After the last of these has begun. */
const LATE_READ_MS = 1_300;
/** A connection takes milliseconds. Clients of the API have their 503 within two seconds. */
const PROBE_LIMIT_MS = 500;

/** Opens the database and creates or upgrades its tables. Rejects with a PlatformError whose message is for the operator. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = new Database(options);
  try {
    await prepareSchema(database, placeOf(options.url));
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown instanceof PlatformError ? thrown : database.unavailable(thrown);
  }
}

export class Database {
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  #probe: Promise<boolean> | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({ ...connectionOf(options.url), max: options.connectionsMax });
    // The user of a connection learns of its end from the statement. Idle connections need no handling.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Returns rows of one statement that may be repeated. Rejects with a PlatformError when the database is
   * unreachable, within two seconds also where the network swallows packets. A slow statement of a database
   * that answers has its whole time.
   */
  read(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.schedule(LATE_READ_MS, () => {
        void this.#isAnswering().then((isAnswering) => {
          const silent = new Error(`it does not answer within ${LATE_READ_MS + PROBE_LIMIT_MS} ms`);
          if (!isAnswering) reject(this.unavailable(silent));
        });
      });
      this.#readAgain(text, values).finally(cancel).then(resolve, reject);
    });
  }

  /** Uses its own connection, because those of the pool may all be waiting. One query answers all concurrent callers. */
  #isAnswering(): Promise<boolean> {
    this.#probe ??= probe(this.#options.url).finally(() => (this.#probe = undefined));
    return this.#probe;
  }

  async #readAgain(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    for (const waitMs of READ_RETRIES_MS) {
      try {
        return (await this.#pool.query<Row>(text, [...values])).rows;
      } catch (thrown) {
        if (!isLostConnection(thrown)) throw thrown;
        await delay(this.#options.clock, waitMs);
      }
    }
    try {
      return (await this.#pool.query<Row>(text, [...values])).rows;
    } catch (thrown) {
      throw isLostConnection(thrown) ? this.unavailable(thrown) : thrown;
    }
  }

  /** One connection for `body`, closed instead of kept when it throws. */
  async withConnection<Value>(body: (client: pg.ClientBase) => Promise<Value>): Promise<Value> {
    const client = await this.#pool.connect();
    let isGood = false;
    try {
      const value = await body(client);
      isGood = true;
      return value;
    } finally {
      client.release(!isGood);
    }
  }

  /** Opens an additional connection that belongs to the caller. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(connectionOf(this.#options.url));
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  unavailable(cause: unknown): PlatformError {
    const message = cause instanceof Error ? cause.message || cause.name : String(cause);
    return new PlatformError(
      'unavailable',
      `PostgreSQL at ${placeOf(this.#options.url)} cannot be used: ${message}; check --postgres-url and that it runs`,
      { cause },
    );
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

async function probe(url: string): Promise<boolean> {
  const limits = { connectionTimeoutMillis: PROBE_LIMIT_MS, query_timeout: PROBE_LIMIT_MS };
  const client = new pg.Client({ ...connectionOf(url), ...limits });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    // Its closing message may never arrive.
    void client.end().catch(() => undefined);
  }
}

/** Returns false for PostgreSQL's own errors about a statement. */
function isLostConnection(thrown: unknown): boolean {
  if (!(thrown instanceof pg.DatabaseError)) return true;
  // Classes 08 connection exception, 53 insufficient resources, 57P shutdown; 25P03: idle for too long in a transaction.
  return /^(08|53|57P|25P03)/.test(thrown.code ?? '');
}

function connectionOf(url: string): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: 'tinkerbell',
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    // Where the network drops packets silently, PostgreSQL's own limit is never reported.
    query_timeout: STATEMENT_LIMIT_MS + CONNECT_LIMIT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_LIMIT_MS,
    keepAlive: true,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  };
}

/** Returns host, port and database, without user and password. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return '(an invalid address)';
  }
}
