/** `tink login` and `tink logout`: which provider, which flow, and what is kept. */
import { spawn } from 'node:child_process';
import { ResponseBodyError, tokenRevocation } from 'openid-client';
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

/** Keeps the tokens in the context of the server, which it makes when there is none. */
export async function logIn(options: LoginOptions, terminal: Terminal): Promise<void> {
  const settings = await resolveSettings(options, terminal);
  const server = settings.server.value;
  // Tokens of before are nobody's business while a new one is asked for.
  const { tls } = await connectionOf(server, withoutTokens(settings.credentials), terminal);
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
    terminal.err('the identity provider gave no refresh token: log in again when this one ends\n');
}

function withoutTokens({ token: _token, tokenFile: _file, login: _login, ...rest }: Context): Context {
  return rest;
}

/** The command line before the server before what the context has. */
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
  const told = isWhole ? {} : await toldBy(client, settings.credentials.login);
  const issuer = options.issuer ?? told.issuer;
  const clientId = options.clientId ?? told.clientId;
  if (issuer === undefined || clientId === undefined)
    throw new TinkFailure(`${settings.server.value} does not say where people log in`, {
      advice: 'name both: --issuer URL --client-id NAME',
    });
  return { issuer, clientId, scopes: options.scopes?.split(/[ ,]+/) ?? told.scopes ?? SCOPES };
}

async function toldBy(client: ApiClient, before: Login | undefined): Promise<Partial<Wanted>> {
  try {
    return (await client.document('/.well-known/tinkerbell-login')) as Partial<Wanted>;
  } catch (thrown) {
    if (before !== undefined) return { issuer: before.issuer, clientId: before.clientId };
    if (!(thrown instanceof ApiFailure)) throw thrown;
    throw new TinkFailure(thrown.message, {
      advice: 'set them on the server, or name them here: --issuer URL --client-id NAME',
    });
  }
}

/** A scope that a provider does not know makes it refuse all. */
function scopeFor({ scopes }: Wanted, { metadata }: Provider): string {
  const own = scopes.filter((one) => metadata.scopes_supported?.includes(one) ?? true);
  return [...new Set(['openid', ...own])].join(' ');
}

function showPage(url: string, { browser }: LoginOptions, { err }: Terminal): void {
  err(`${browser ? 'a browser should show this page; else open it yourself' : 'open this page'}:\n${url}\n`);
  if (!browser) return;
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Whoever has no browser has the address.
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

/** The name of the context that has it now. */
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

/** Forgets the tokens, and has the provider forget them where it can. */
export async function logOut(options: GlobalOptions, terminal: Terminal): Promise<void> {
  const settings = await resolveSettings(options, terminal);
  const { login } = settings.credentials;
  if (login === undefined) throw new TinkFailure(`nobody is logged in at ${settings.server.value}`);
  const path = configPath(terminal);
  await writeConfig(path, withoutLogin(await readConfig(path), login));
  const { tls } = await connectionOf(settings.server.value, withoutTokens(settings.credentials), terminal);
  const isRevoked = await revoked(login, { signal: terminal.signal, ca: tls?.ca }).catch(
    (thrown: unknown) => {
      terminal.err(
        `warning: ${(thrown as Error).message}; the tokens are forgotten here and good until they end\n`,
      );
      return false;
    },
  );
  terminal.out(isRevoked ? 'logged out, here and at the identity provider\n' : 'logged out here\n');
}

function withoutLogin(config: Config, { token }: Login): Config {
  const rest = Object.entries(config.contexts ?? {}).map(([name, { login, ...context }]) => [
    name,
    login === undefined || login.token === token ? context : { ...context, login },
  ]);
  return { ...config, contexts: Object.fromEntries(rest) as Readonly<Record<string, Context>> };
}

/** RFC 7009. */
async function revoked({ issuer, clientId, refreshToken }: Login, reach: Reach): Promise<boolean> {
  if (refreshToken === undefined) return false;
  const { configuration, metadata } = await describeProvider(issuer, clientId, reach);
  if (metadata.revocation_endpoint === undefined) return false;
  try {
    await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
    return true;
  } catch (thrown) {
    if (thrown instanceof ResponseBodyError)
      throw new TinkFailure(`the identity provider does not revoke: ${thrown.error}`);
    throw failureOf(thrown, clientId);
  }
}
