/** Checks the answers of a token endpoint and the ID token in them: audience, nonce and clock. */
import type { Clock } from '@tinkerbell/platform-contract';
import { createTokenVerifier, fixedKeys } from '@tinkerbell/platform-jwt';
import { TinkFailure } from '../failure.ts';
import { claimsOf } from './token-claims.ts';
import { askIssuer, issuerFailure, textField, type IssuerAnswer, type Reach } from './issuer-request.ts';
import type { ProviderDescription } from './provider-description.ts';

export interface GivenTokens {
  /** An ID token for this client, which is what the server accepts. */
  readonly token: string;
  readonly refreshToken: string | undefined;
  /** Claim `preferred_username`, `email` or `sub`; for display. */
  readonly person: string;
}

export interface TokenQuestion {
  readonly provider: ProviderDescription;
  readonly clientId: string;
  readonly reach: Reach;
  readonly clock: Clock;
  /** The nonce that the ID token must contain, if one was sent. */
  readonly nonce?: string;
}

const ALGORITHMS = 'RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' ');
/** The same tolerance that verifiers use. */
const SKEW_SECONDS = 60;

export function askForTokens(
  { provider, clientId, reach }: TokenQuestion,
  form: Readonly<Record<string, string>>,
): Promise<IssuerAnswer> {
  return askIssuer(provider.tokenUrl, reach, { client_id: clientId, ...form });
}

/** Throws a TinkFailure for an error answer and for invalid tokens. */
export async function givenTokens(
  question: TokenQuestion,
  { status, fields }: IssuerAnswer,
): Promise<GivenTokens> {
  const { clientId, provider } = question;
  const error = textField(fields, 'error');
  if (status !== 200)
    throw issuerFailure(error ?? `status ${status}`, textField(fields, 'error_description'), clientId);
  const token = textField(fields, 'id_token');
  if (token === undefined)
    throw new TinkFailure(`the identity provider ${provider.issuer} returned no ID token`, {
      advice: `the client ${clientId} must be allowed the scope openid`,
    });
  const claims = await verifiedClaims(question, token);
  const person = ['preferred_username', 'email', 'sub']
    .map((name) => claims[name])
    .find((one) => typeof one === 'string');
  return { token, refreshToken: textField(fields, 'refresh_token'), person: String(person) };
}

/** Absent instead of undefined, because the file format has no undefined. */
export function refreshOf({ refreshToken }: GivenTokens): { readonly refreshToken?: string } {
  return refreshToken === undefined ? {} : { refreshToken };
}

/** Validates the ID token (OpenID Connect Core 1.0, section 3.1.3.7). */
async function verifiedClaims(
  question: TokenQuestion,
  token: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { provider, clientId, reach, clock, nonce } = question;
  refuseWrongClock(token, clock.nowMs() / 1000);
  const { fields } = await askIssuer(provider.keysUrl, reach);
  const keys = fixedKeys({ keys: Array.isArray(fields['keys']) ? fields['keys'] : [] });
  const issuer = { issuer: provider.issuer, audiences: [clientId], algorithms: ALGORITHMS, keys };
  const verified = await createTokenVerifier([issuer], clock).verify(token);
  if (!verified.ok) throw unfit(verified.message);
  const { azp, nonce: got } = verified.claims;
  if (azp !== undefined && azp !== clientId) throw unfit('it was issued to another client');
  if (nonce !== undefined && got !== nonce) throw unfit('it belongs to another login (its nonce differs)');
  return verified.claims;
}

function unfit(message: string): TinkFailure {
  return new TinkFailure(`the identity provider returned an invalid token: ${message}`);
}

/** The token was issued a moment ago, so its times show the provider's clock. */
function refuseWrongClock(token: string, nowSeconds: number): void {
  const { iat, exp } = claimsOf(token);
  if (typeof iat !== 'number' || typeof exp !== 'number') return;
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
