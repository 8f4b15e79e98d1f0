/** The token of a login, renewed before it expires. Loads the login flows only when needed. */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Login } from '../client/config-file.ts';
import { claimsOf } from './token-claims.ts';

/** Where the tokens are stored. */
export interface LoginPlace {
  readonly path: string;
  readonly context: string;
  readonly err: (text: string) => void;
}

export interface LoginTokens {
  /** Returns a token that is still valid by the local clock. */
  current(): Promise<string>;
  /** Called after the server rejected a token. Returns another one, or undefined. */
  another(refused: string): Promise<string | undefined>;
}

/** Renew this long before expiry, so that the token is still valid when a request arrives. */
const MARGIN_SECONDS_MAX = 60;
/** Fraction of the lifetime, for short-lived tokens. */
const MARGIN_PART = 0.2;

export function createLoginTokens(
  first: Login,
  place: LoginPlace,
  deps: { readonly clock: Clock; readonly signal: AbortSignal; readonly ca: string | undefined },
): LoginTokens {
  const { clock, signal, ca } = deps;
  let login = first;
  let underWay: Promise<boolean> | undefined;

  async function renew(): Promise<boolean> {
    const flows = await import('./renew.ts');
    const next = await flows.renewed(login, place, { reach: { signal, ca }, clock });
    if (next === undefined) return false;
    login = next;
    return true;
  }

  function renewOnce(): Promise<boolean> {
    underWay ??= renew().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    async current() {
      const nowSeconds = clock.nowMs() / 1000;
      const { iat = 0, exp } = claimsOf(login.token) as { readonly iat?: number; readonly exp?: number };
      if (exp === undefined) return login.token;
      const marginSeconds = Math.min(MARGIN_SECONDS_MAX, (exp - iat) * MARGIN_PART);
      if (nowSeconds < exp - marginSeconds) return login.token;
      try {
        await renewOnce();
      } catch (thrown) {
        // A valid token is usable, even if the provider is unreachable.
        if (nowSeconds >= exp) throw thrown;
      }
      return login.token;
    },
    async another(refused) {
      if (login.token === refused) await renewOnce();
      return login.token === refused ? undefined : login.token;
    },
  };
}
