/** The token of a person who has logged in, renewed when it is about to end. The flows are loaded when they are needed. */
import type { Clock } from '@tinkerbell/platform-contract';
import type { Login } from '../client/config-file.ts';
import { claimsOf } from './token-claims.ts';

/** Where the tokens are kept. */
export interface LoginPlace {
  readonly path: string;
  readonly context: string;
  readonly err: (text: string) => void;
}

export interface LoginTokens {
  /** Good for a while yet, as far as the clock here tells. */
  current(): Promise<string>;
  /** After the server has refused this one: another, or undefined. */
  another(refused: string): Promise<string | undefined>;
}

/** A request that is sent now must still be good when it arrives. */
const MARGIN_SECONDS_MAX = 60;
/** Of the whole life, for tokens that are short. */
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
        // While it is good it is good, whoever cannot be reached.
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
