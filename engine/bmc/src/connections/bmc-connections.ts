/**
 * The way to all BMCs. Each call opens a session, or uses the one of the call before, tries the drivers of the connection in order,
 * and remembers which one answered. A BMC gets one call at a time.
 */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Store } from '@tinkerbell/store-contract';
import { providersFor, type PinnedConnection, type ProviderName } from '@tinkerbell/bmc';
import { BmcError, type BmcErrorCode } from '../bmc-error.ts';
import type { BmcCredentials, BmcDriver, BmcSession, SerialConsole } from '../driver.ts';
import { Lanes } from './lanes.ts';
import {
  optionsFor,
  resolveConnection,
  type ResolvedConnection,
  type TrustOf,
} from './resolve-connection.ts';

export type Drivers = Readonly<Partial<Record<ProviderName, BmcDriver>>>;

export interface ConnectionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly drivers: Drivers;
  readonly trustOf: TrustOf;
  /** The limit for each request to a BMC. */
  readonly timeoutMs: number;
}

export interface Call<Result> {
  /** For messages: `power on`. */
  readonly name: string;
  /** False for a call that must not reach the BMC twice, such as a power cycle. */
  readonly isRepeatable: boolean;
  /** The only driver that can do it. Default: all of the connection, and the one that succeeds comes first from then on. */
  readonly only?: ProviderName;
  /** Undefined: the session cannot do it, and the next driver is tried. */
  readonly run: (
    session: BmcSession,
    account: Pick<BmcCredentials, 'username'>,
  ) => Promise<Result> | undefined;
}

/** The next call often follows within seconds: a Job has several Tasks. */
const SESSION_KEPT_MS = 10_000;
/** Failures of the way or of the protocol. Another driver may not have them. */
const FALLS_BACK: ReadonlySet<BmcErrorCode> = new Set([
  'unreachable',
  'unsupported',
  'invalid-answer',
  'too-large',
  'timed-out',
  'session-lost',
  'wrong-credentials',
  'untrusted-certificate',
  'expired-certificate',
  'redirected',
]);
/** Failures before the BMC has read the call. After them another driver cannot repeat it. */
const NEVER_SENT: ReadonlySet<BmcErrorCode> = new Set(['unreachable', 'unsupported', 'wrong-credentials']);

interface Open {
  readonly session: BmcSession;
  readonly version: string;
  cancelEnd: () => void;
}

export class BmcConnections {
  readonly #deps: ConnectionsDeps;
  readonly #lanes = new Lanes();
  readonly #open = new Map<string, Open>();
  /** The driver that last answered, by connection. */
  readonly #answered = new Map<string, ProviderName>();
  readonly #closing = new AbortController();

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  /** Rejects with a BmcError whose message names each driver that was tried. */
  use<Result>(connection: PinnedConnection, call: Call<Result>): Promise<Result> {
    const key = JSON.stringify(connection);
    return this.#lanes.run(connection.host.toLowerCase(), async () => {
      this.#closing.signal.throwIfAborted();
      const resolved = await resolveConnection(this.#deps.store, connection, this.#deps.trustOf);
      const failures: Failure[] = [];
      for (const provider of this.#providers(key, connection, call)) {
        const tried = await this.#try(key, { provider, resolved }, call);
        if (tried.ok) {
          if (call.only === undefined) this.#answered.set(key, provider);
          return tried.value;
        }
        failures.push({ provider, error: tried.error });
        if (!mayTryNext(tried.error, call.isRepeatable)) break;
      }
      throw summaryOf(failures, call.name);
    });
  }

  /** Ends all sessions. Calls that wait are rejected. */
  async close(): Promise<void> {
    this.#closing.abort(new BmcError('aborted', 'the server is stopping'));
    await Promise.all([...this.#open.keys()].map((key) => this.#end(key)));
    for (const driver of Object.values(this.#deps.drivers)) await driver.close?.();
  }

  /** Ends the image that this process itself serves to a BMC, without a login, unless it is wanted when its turn comes. */
  endMedia(connection: PinnedConnection, isUnwanted: () => Promise<boolean>): Promise<void> {
    const resolved = { connection, hmacKeys: {} };
    return this.#lanes.run(connection.host.toLowerCase(), async () => {
      if (!(await isUnwanted())) return;
      for (const driver of Object.values(this.#deps.drivers))
        await driver.endMedia?.(connection.host, optionsFor(driver.name, resolved));
    });
  }

  #providers<Result>(
    key: string,
    connection: PinnedConnection,
    { only }: Call<Result>,
  ): readonly ProviderName[] {
    const all = this.#order(key, connection);
    return only === undefined ? all : all.filter((name) => name === only);
  }

  /** The driver that answered before comes first, unless the connection states an order. */
  #order(key: string, connection: PinnedConnection): readonly ProviderName[] {
    const known = providersFor(connection).filter((name) => this.#deps.drivers[name] !== undefined);
    const answered = this.#answered.get(key);
    if (answered === undefined || connection.providerOptions?.preferredOrder !== undefined) return known;
    return [answered, ...known.filter((name) => name !== answered)];
  }

  async #try<Result>(key: string, by: Attempt, call: Call<Result>): Promise<Tried<Result>> {
    const first = await this.#once(key, by, call);
    if (first.ok || first.error.code !== 'session-lost' || !call.isRepeatable) return first;
    // BMCs drop idle sessions without a word. A new login is enough.
    return await this.#once(key, by, call);
  }

  async #once<Result>(key: string, by: Attempt, call: Call<Result>): Promise<Tried<Result>> {
    const name = sessionKey(key, by);
    try {
      const session = await this.#session(name, by);
      const result = call.run(session, { username: by.resolved.credentials.username });
      if (result === undefined)
        return { ok: false, error: new BmcError('unsupported', `cannot ${call.name}`) };
      return { ok: true, value: await result };
    } catch (thrown) {
      if (!(thrown instanceof BmcError)) throw thrown;
      if (thrown.code !== 'unsupported' && thrown.code !== 'rejected') await this.#end(name);
      return { ok: false, error: thrown };
    } finally {
      this.#keep(name);
    }
  }

  async #session(name: string, { provider, resolved }: Attempt): Promise<BmcSession> {
    const open = this.#open.get(name);
    open?.cancelEnd();
    if (open !== undefined && open.version === resolved.version) return open.session;
    await this.#end(name);
    const session = await this.#openSession(provider, resolved);
    this.#open.set(name, { session, version: resolved.version, cancelEnd: () => undefined });
    return session;
  }

  /** Opens the serial console with the first driver that has one, in a session of its own, which ends with the console. */
  async openConsole(connection: PinnedConnection): Promise<OpenedConsole> {
    const resolved = await resolveConnection(this.#deps.store, connection, this.#deps.trustOf);
    const failures: Failure[] = [];
    for (const provider of this.#order(JSON.stringify(connection), connection)) {
      try {
        const session = await this.#openSession(provider, resolved);
        const opened = await consoleOf(session);
        if (opened !== undefined) return opened;
        failures.push({ provider, error: new BmcError('unsupported', 'has no serial console') });
      } catch (thrown) {
        if (!(thrown instanceof BmcError)) throw thrown;
        failures.push({ provider, error: thrown });
      }
    }
    throw summaryOf(failures, 'open the serial console');
  }

  #openSession(provider: ProviderName, resolved: ResolvedConnection): Promise<BmcSession> {
    const driver = this.#deps.drivers[provider];
    if (driver === undefined) throw new BmcError('unsupported', `there is no driver ${provider}`);
    const { host } = resolved.connection;
    const { credentials, trust } = resolved;
    const target = { host, credentials, trust, timeoutMs: this.#deps.timeoutMs };
    return driver.open(target, optionsFor(provider, resolved), this.#closing.signal);
  }

  #keep(name: string): void {
    const open = this.#open.get(name);
    if (open === undefined) return;
    open.cancelEnd = this.#deps.clock.schedule(SESSION_KEPT_MS, () => void this.#end(name));
  }

  async #end(name: string): Promise<void> {
    const open = this.#open.get(name);
    if (open === undefined) return;
    this.#open.delete(name);
    open.cancelEnd();
    // A BMC that does not answer a logout ends the session by itself.
    await Promise.resolve(open.session[Symbol.asyncDispose]()).catch(() => undefined);
  }
}

export interface OpenedConsole extends AsyncDisposable {
  readonly provider: ProviderName;
  readonly console: SerialConsole;
}

/** Undefined, and the session has ended, when it has no console. */
async function consoleOf(session: BmcSession): Promise<OpenedConsole | undefined> {
  try {
    const console = await session.openConsole?.();
    if (console !== undefined)
      return {
        provider: session.provider,
        console,
        async [Symbol.asyncDispose]() {
          await Promise.resolve(console[Symbol.asyncDispose]()).catch(() => undefined);
          await Promise.resolve(session[Symbol.asyncDispose]()).catch(() => undefined);
        },
      };
  } catch (thrown) {
    await session[Symbol.asyncDispose]();
    throw thrown;
  }
  await session[Symbol.asyncDispose]();
  return undefined;
}

interface Attempt {
  readonly provider: ProviderName;
  readonly resolved: ResolvedConnection;
}

type Tried<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: BmcError };

interface Failure {
  readonly provider: ProviderName;
  readonly error: BmcError;
}

function sessionKey(key: string, { provider }: Attempt): string {
  return `${provider} ${key}`;
}

function mayTryNext({ code }: BmcError, isRepeatable: boolean): boolean {
  return isRepeatable ? FALLS_BACK.has(code) : NEVER_SENT.has(code);
}

/** The cause is the failure that says most: a driver that got no answer says less than one that was refused. */
function summaryOf(failures: readonly Failure[], name: string): BmcError {
  const telling =
    failures.find(({ error }) => !NEVER_SENT.has(error.code)) ??
    failures.find(({ error }) => error.code === 'wrong-credentials') ??
    failures.find(({ error }) => error.code !== 'unsupported') ??
    failures[0];
  if (telling === undefined) return new BmcError('unsupported', `no driver can ${name}`);
  const texts = failures.map(({ provider, error }) => `${provider}: ${error.message}`);
  return new BmcError(telling.error.code, texts.join('; '), { cause: telling.error });
}
