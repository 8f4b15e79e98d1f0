/** `GET /v1/auth/token`: exchanges an account's token for a short-lived one, to pass to a gateway or a job. */
import type { User } from '@tinkerbell/access';
import { WholeResponse, type Clock, type HttpRequest } from '@tinkerbell/platform-contract';
import { collectionOf, isRecord, serviceAccountKind } from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import { ApiError } from '../api-error.ts';
import { accountClaims, signing, type AccountTokens } from './account-token.ts';

export const OWN_TOKEN = '/v1/auth/token';

/** The same lifetime as tokens of the identity providers in front of such gateways. */
const SECONDS_MAX = 3600;

export interface OwnTokenDeps {
  readonly tokens?: AccountTokens;
  readonly store: Store;
  readonly clock: Clock;
}

/** RFC 6749, section 5.1. Never valid for longer than the presented token, because otherwise a stolen token would never expire. */
export async function ownToken(deps: OwnTokenDeps, user: User, request: HttpRequest): Promise<Response> {
  const { store, clock } = deps;
  const tokens = signing(deps.tokens);
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.name) ?? [];
  const shown = shownEnd(request);
  if (namespace === undefined || name === undefined || shown === undefined)
    throw new ApiError(
      'Unauthorized',
      `${OWN_TOKEN} accepts only accounts: send "Authorization: Bearer" with a token from "tink token create"; users run "tink login"`,
    );
  const found = await store.get({ collection: collectionOf(serviceAccountKind), namespace, name });
  const left = Math.floor(shown - clock.nowMs() / 1000);
  if (found === undefined || left <= 0) throw new ApiError('Unauthorized', 'the token has expired');
  const seconds = Math.min(SECONDS_MAX, left);
  const claims = accountClaims(found.object.metadata, [tokens.issuer]);
  const answer = {
    access_token: await tokens.sign(claims, seconds),
    token_type: 'Bearer',
    expires_in: seconds,
  };
  return new WholeResponse(`${JSON.stringify(answer)}\n`, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}

/** Returns the expiry of the token that the front of the server has verified, in seconds since 1970. */
function shownEnd(request: HttpRequest): number | undefined {
  const payload = /^Bearer +[^.]+\.([^.]+)\./i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (payload === undefined) return undefined;
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return isRecord(claims) && typeof claims['exp'] === 'number' ? claims['exp'] : undefined;
}
