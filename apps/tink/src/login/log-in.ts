/** `tink login` and `tink logout`: selects provider and flow, and stores the tokens. */
import { spawn } from 'node:child_process';
import { messageOf } from '@tinkerbell/platform-contract';
import { ResponseBodyError, tokenRevocation } from 'openid-client';
import { loginSettingsIn } from '../client/answers.ts';
import { ApiClient } from '../client/client.ts';
import {
  configPath,
  readConfig,
  writeConfig,
  type Config,
  type Context,
  type Login,
} from '../client/config-file.ts';
import { connectionOf, type Connection } from '../client/connection.ts';
import { TinkFailure } from '../failure.ts';
import { ApiFailure } from '../client/server-failure.ts';
import { resolveSettings, type GlobalOptions, type Settings } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { loginByCode } from './code-flow.ts';
import { loginByDevice } from './device-flow.ts';
import { failureOf } from './issuer-failure.ts';
import type { Reach } from './issuer-fetch.ts';
import { describeProvider, type Provider } from './provider-description.ts';
import { refreshOf } from './token-answer.ts';

export interface LoginOptions extends GlobalOptions {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly scopes?: string;
  readonly device?: boolean;
  readonly browser: boolean;
}

interface Wanted {
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

const SCOPES = ['profile', 'groups', 'offline_access'];

/** Stores the tokens in the context of the server. Creates the context if needed. */
export async function logIn(options: LoginOptions, terminal: Terminal): Promise<void> {
  const settings = await resolveSettings(options, terminal);
  const server = settings.server.value;
  // Do not send the previous tokens while requesting new ones.
  const { tls } = await connectionOf({ server, context: withoutTokens(settings.credentials) }, terminal);
  const wanted = await wantedLogin(options, { settings, terminal, tls });
  const { issuer, clientId } = wanted;
  terminal.err(`logging in at ${issuer} for ${server}\n`);
  const reach: Reach = { signal: terminal.signal, ca: tls?.ca };
  const provider = await describeProvider(issuer, clientId, reach);
  const common = { provider, clock: terminal.clock, scope: scopeFor(wanted, provider) };
  const given = await (options.device === true
    ? loginByDevice({ ...common, show: terminal.err })
    : loginByCode({
        ...common,
        random: terminal.random,
        show: (url) => showPage(url, options, terminal),
      }));
  const name = await keep(settings, { issuer, clientId, token: given.token, ...refreshOf(given) });
  terminal.out(`logged in as ${given.person}; the tokens are in context ${name} of ${settings.configPath}\n`);
  if (given.refreshToken === undefined)
    terminal.err('the identity provider returned no refresh token; log in again when this token expires\n');
}

function withoutTokens({ token: _token, tokenFile: _file, login: _login, ...rest }: Context): Context {
  return rest;
}

/** Precedence: command line, server, context. */
async function wantedLogin(
  options: LoginOptions,
  {
    settings,
    terminal,
    tls,
  }: { readonly settings: Settings; readonly terminal: Terminal; readonly tls: Connection['tls'] },
): Promise<Wanted> {
  const isWhole = options.issuer !== undefined && options.clientId !== undefined;
  const client = new ApiClient(settings.server.value, terminal.signal, tls === undefined ? {} : { tls });
  const published = isWhole ? {} : await settingsOf(client, settings.credentials.login);
  const issuer = options.issuer ?? published.issuer;
  const clientId = options.clientId ?? published.clientId;
  if (issuer === undefined || clientId === undefined)
    throw new TinkFailure(`${settings.server.value} does not name an identity provider`, {
      advice: 'set both: --issuer URL --client-id NAME',
    });
  return { issuer, clientId, scopes: options.scopes?.split(/[ ,]+/) ?? published.scopes ?? SCOPES };
}

async function settingsOf(client: ApiClient, before: Login | undefined): Promise<Partial<Wanted>> {
  try {
    return loginSettingsIn(await client.document('/.well-known/tinkerbell-login'));
  } catch (thrown) {
    if (before !== undefined) return { issuer: before.issuer, clientId: before.clientId };
    if (!(thrown instanceof ApiFailure)) throw thrown;
    throw new TinkFailure(thrown.message, {
      advice: 'set them on the server, or set them here: --issuer URL --client-id NAME',
    });
  }
}

/** Removes unknown scopes, because some providers reject the whole request for one. */
function scopeFor({ scopes }: Wanted, { metadata }: Provider): string {
  const own = scopes.filter((one) => metadata.scopes_supported?.includes(one) ?? true);
  return [...new Set(['openid', ...own])].join(' ');
}

function showPage(url: string, { browser }: LoginOptions, { err }: Terminal): void {
  err(
    `${browser ? 'a browser should open this page; if not, open it yourself' : 'open this page'}:\n${url}\n`,
  );
  if (!browser) return;
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without a browser, the printed URL is enough.
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

/** Returns the name of the context with the tokens. */
async function keep({ server, context, configPath: path }: Settings, login: Login): Promise<string> {
  const config = await readConfig(path);
  const { contexts = {} } = config;
  const isOf = (name: string | undefined): boolean =>
    name !== undefined && contexts[name]?.server === server.value;
  const found = isOf(context?.value) ? context?.value : Object.keys(contexts).find(isOf);
  const name = found ?? new URL(server.value).host.replaceAll(/[^\w.-]/g, '-');
  const changed: Context = { ...contexts[name], server: server.value, login };
  const currentContext = config.currentContext ?? name;
  await writeConfig(path, { ...config, currentContext, contexts: { ...contexts, [name]: changed } });
  return name;
}

/** Deletes the tokens, and revokes them at the provider if possible. */
export async function logOut(options: GlobalOptions, terminal: Terminal): Promise<void> {
  const settings = await resolveSettings(options, terminal);
  const { login } = settings.credentials;
  if (login === undefined) throw new TinkFailure(`not logged in at ${settings.server.value}`);
  const path = configPath(terminal);
  await writeConfig(path, withoutLogin(await readConfig(path), login));
  const context = withoutTokens(settings.credentials);
  const { tls } = await connectionOf({ server: settings.server.value, context }, terminal);
  const isRevoked = await revoked(login, { signal: terminal.signal, ca: tls?.ca }).catch(
    (thrown: unknown) => {
      terminal.err(
        `warning: ${messageOf(thrown)}; the tokens are deleted here, and stay valid until they expire\n`,
      );
      return false;
    },
  );
  terminal.out(isRevoked ? 'logged out, here and at the identity provider\n' : 'logged out here\n');
}

function withoutLogin(config: Config, { token }: Login): Config {
  const rest = Object.entries(config.contexts ?? {}).map(
    ([name, { login, ...context }]): [string, Context] => [
      name,
      login === undefined || login.token === token ? context : { ...context, login },
    ],
  );
  return { ...config, contexts: Object.fromEntries(rest) };
}

/** Revokes a token (RFC 7009). */
async function revoked({ issuer, clientId, refreshToken }: Login, reach: Reach): Promise<boolean> {
  if (refreshToken === undefined) return false;
  const { configuration, metadata } = await describeProvider(issuer, clientId, reach);
  if (metadata.revocation_endpoint === undefined) return false;
  try {
    await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
    return true;
  } catch (thrown) {
    if (thrown instanceof ResponseBodyError)
      throw new TinkFailure(`the identity provider did not revoke the token: ${thrown.error}`);
    throw failureOf(thrown, clientId);
  }
}
