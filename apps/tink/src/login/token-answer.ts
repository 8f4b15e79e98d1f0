/** Answers of a token endpoint. openid-client has checked the ID token in them (OpenID Connect Core 1.0, section 3.1.3.7). */
import type { TokenEndpointResponse } from 'openid-client';
import type { Clock } from '@tinkerbell/platform-contract';
import { TinkFailure } from '../failure.ts';
import { claimsOfFailure, failureOf } from './issuer-failure.ts';
import { SKEW_SECONDS, type Provider } from './provider-description.ts';
import { claimsOf } from './token-claims.ts';

export interface GivenTokens {
  /** An ID token for this client, which is what the server accepts. */
  readonly token: string;
  readonly refreshToken: string | undefined;
  /** Claim `preferred_username`, `email` or `sub`; for display. */
  readonly person: string;
}

/** Awaits the answer. Throws a TinkFailure for an error answer, invalid tokens and a wrong clock. */
export async function givenTokens(
  { issuer, clientId }: Provider,
  clock: Clock,
  answer: Promise<TokenEndpointResponse>,
): Promise<GivenTokens> {
  const { id_token: token, refresh_token: refreshToken } = await answer.catch((thrown: unknown) => {
    refuseWrongClock(claimsOfFailure(thrown), clock);
    throw failureOf(thrown, clientId);
  });
  if (token === undefined)
    throw new TinkFailure(`the identity provider ${issuer} returned no ID token`, {
      advice: `the client ${clientId} must be allowed the scope openid`,
    });
  const claims = claimsOf(token);
  refuseWrongClock(claims, clock);
  const person = ['preferred_username', 'email', 'sub']
    .map((name) => claims[name])
    .find((one) => typeof one === 'string');
  return { token, refreshToken, person: String(person) };
}

/** Absent instead of undefined, because the file format has no undefined. */
export function refreshOf({ refreshToken }: GivenTokens): { readonly refreshToken?: string } {
  return refreshToken === undefined ? {} : { refreshToken };
}

/** The token was issued a moment ago, so its times show the provider's clock. */
function refuseWrongClock({ iat, exp }: Readonly<Record<string, unknown>>, clock: Clock): void {
  if (typeof iat !== 'number' || typeof exp !== 'number') return;
  const nowSeconds = clock.nowMs() / 1000;
  const isFine = iat <= nowSeconds + SKEW_SECONDS && exp > nowSeconds - SKEW_SECONDS;
  if (isFine) return;
  const apart = spanText(Math.abs(nowSeconds - iat));
  const side = nowSeconds > iat ? 'ahead of' : 'behind';
  throw new TinkFailure(`the clock of this machine is ${apart} ${side} that of the identity provider`, {
    advice: 'set the wrong clock, and log in again',
  });
}

function spanText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
