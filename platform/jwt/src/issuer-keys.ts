/** Loads the keys of an issuer. */
import type { Clock, HttpClient, HttpTarget } from '@tinkerbell/platform-contract';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isRecord } from './compact-token.ts';

export interface IssuerKeys {
  /**
   * Returns the current keys. With `mustBeNew` it fetches them again, unless it did so a moment ago. Rejects when no keys are
   * available.
   */
  keys(mustBeNew: boolean): Promise<KeySet>;
  /** Returns the keys that `keys(false)` would return at once, without any request. Undefined: ask `keys`. */
  current(): KeySet | undefined;
}

export interface KeySet {
  /** A version that grows whenever the keys have changed. */
  readonly version: number;
  readonly key: JWTVerifyGetKey;
}

/** @throws TypeError when the value is not a set of keys. */
export function fixedKeys(jwks: JSONWebKeySet): IssuerKeys {
  const set = { version: 1, key: createLocalJWKSet(jwks) };
  return { keys: () => Promise.resolve(set), current: () => set };
}

const FRESH_MS = 600_000;
/** Unknown key ids are cheap to invent. Without this limit each would cause a request to the issuer. */
const COOL_DOWN_MS = 30_000;
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 262_144;

export interface RemoteKeysOptions {
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  readonly mayConnect: (target: HttpTarget) => boolean;
}

/** JWKS (RFC 7517) from a URL. While the issuer is unreachable, the last keys stay in use. */
export function createRemoteKeys(url: string, options: RemoteKeysOptions): IssuerKeys {
  const { clock } = options;
  let current: { set: KeySet; text: string } | undefined;
  let triedMs = Number.NEGATIVE_INFINITY;
  let failure = new Error(`no keys from ${url}`);
  let underWay: Promise<void> | undefined;

  async function look(): Promise<void> {
    triedMs = clock.monotonicMs();
    try {
      const text = await fetchText(url, options);
      if (text === current?.text) return;
      const set = { version: (current?.set.version ?? 0) + 1, key: createLocalJWKSet(JSON.parse(text)) };
      current = { set, text };
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    current: () => (clock.monotonicMs() - triedMs < FRESH_MS ? current?.set : undefined),
    async keys(mustBeNew) {
      const ageMs = clock.monotonicMs() - triedMs;
      const isDue = ageMs >= FRESH_MS || ((mustBeNew || current === undefined) && ageMs >= COOL_DOWN_MS);
      if (isDue)
        underWay ??= look().finally(() => {
          underWay = undefined;
        });
      // Keys that are only old stay valid while new ones are fetched.
      if (underWay !== undefined && (mustBeNew || current === undefined)) await underWay;
      if (current === undefined) throw failure;
      return current.set;
    },
  };
}

/** The `jwks_uri` from the issuer's metadata (OpenID Connect Discovery 1.0, section 4), which is fetched on first use. */
export function createDiscoveredKeys(issuer: string, options: RemoteKeysOptions): IssuerKeys {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  let found: Promise<IssuerKeys> | undefined;
  /** What `found` has resolved to. */
  let known: IssuerKeys | undefined;
  let triedMs = Number.NEGATIVE_INFINITY;

  async function discover(): Promise<IssuerKeys> {
    const description: unknown = JSON.parse(await fetchText(url, options));
    if (!isRecord(description) || description['issuer'] !== issuer)
      throw new Error(`${url} belongs to another issuer`);
    const keysUrl = description['jwks_uri'];
    if (typeof keysUrl !== 'string') throw new Error(`${url} has no jwks_uri`);
    return createRemoteKeys(keysUrl, options);
  }

  return {
    current: () => known?.current(),
    async keys(mustBeNew) {
      const nowMs = options.clock.monotonicMs();
      if (found === undefined || nowMs - triedMs >= COOL_DOWN_MS) {
        const attempt = found === undefined ? discover() : found.catch(discover);
        [found, triedMs] = [attempt, nowMs];
      }
      known = await found;
      return known.keys(mustBeNew);
    },
  };
}

async function fetchText(url: string, { httpClient, mayConnect }: RemoteKeysOptions): Promise<string> {
  const response = await httpClient.get(url, {
    headers: { accept: 'application/json' },
    mayConnect,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new Error(`${url} sent more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
