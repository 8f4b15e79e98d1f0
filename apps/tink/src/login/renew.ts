/** Exchanges a refresh token for new tokens (RFC 6749, section 6), and stores them in place of the old ones. */
import { refreshTokenGrant, ResponseBodyError } from 'openid-client';
import { messageOf, type Clock } from '@tinkerbell/platform-contract';
import { readConfig, writeConfig, type Login } from '../client/config-file.ts';
import { TinkFailure } from '../failure.ts';
import type { LoginPlace } from './login-tokens.ts';
import type { Reach } from './issuer-fetch.ts';
import { describeProvider } from './provider-description.ts';
import { givenTokens, refreshOf } from './token-answer.ts';

/** Returns undefined if there is no refresh token. Throws a TinkFailure if the login has ended. */
export async function renewed(
  login: Login,
  place: LoginPlace,
  { reach, clock }: { readonly reach: Reach; readonly clock: Clock },
): Promise<Login | undefined> {
  const others = await keptLogin(place);
  // Another tink renewed first, and only its refresh token may still be valid.
  if (others !== undefined && others.token !== login.token) return others;
  const { issuer, clientId, refreshToken } = login;
  if (refreshToken === undefined) return undefined;
  const provider = await describeProvider(issuer, clientId, reach);
  const answer = refreshTokenGrant(provider.configuration, refreshToken);
  const isOver = await answer.then(
    () => false,
    (thrown: unknown) => thrown instanceof ResponseBodyError && thrown.error === 'invalid_grant',
  );
  if (isOver) {
    const newer = await keptLogin(place);
    if (newer !== undefined && newer.token !== login.token) return newer;
    throw new TinkFailure(`the login at ${issuer} has ended`, { advice: 'run tink login' });
  }
  const given = await givenTokens(provider, clock, answer);
  const next: Login = { issuer, clientId, token: given.token, refreshToken, ...refreshOf(given) };
  await keep(place, next);
  return next;
}

async function keptLogin({ path, context }: LoginPlace): Promise<Login | undefined> {
  return (await readConfig(path)).contexts?.[context]?.login;
}

async function keep({ path, context, err }: LoginPlace, login: Login): Promise<void> {
  try {
    const config = await readConfig(path);
    const own = config.contexts?.[context];
    // If the user has logged out meanwhile, keep it so.
    if (own?.login === undefined) return;
    await writeConfig(path, { ...config, contexts: { ...config.contexts, [context]: { ...own, login } } });
  } catch (thrown) {
    err(`warning: cannot store the new token: ${messageOf(thrown)}\n`);
  }
}
