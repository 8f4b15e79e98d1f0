/** Exchanges a refresh token for new tokens (RFC 6749, section 6), and stores them in place of the old ones. */
import type { Clock } from '@tinkerbell/platform-contract';
import { readConfig, writeConfig, type Login } from '../client/config-file.ts';
import { TinkFailure } from '../failure.ts';
import type { LoginPlace } from './login-tokens.ts';
import { textField, type Reach } from './issuer-request.ts';
import { describeProvider } from './provider-description.ts';
import { askForTokens, givenTokens, refreshOf } from './token-answer.ts';

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
  const question = { provider: await describeProvider(issuer, reach), clientId, reach, clock };
  const answer = await askForTokens(question, { grant_type: 'refresh_token', refresh_token: refreshToken });
  if (textField(answer.fields, 'error') === 'invalid_grant') {
    const newer = await keptLogin(place);
    if (newer !== undefined && newer.token !== login.token) return newer;
    throw new TinkFailure(`the login at ${issuer} has ended`, { advice: 'run tink login' });
  }
  const given = await givenTokens(question, answer);
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
    err(`warning: cannot store the new token: ${(thrown as Error).message}\n`);
  }
}
