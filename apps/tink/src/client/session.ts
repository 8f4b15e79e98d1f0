/** What a command works with: the server, the namespace, the terminal. */
import { nearest } from '@tinkerbell/resources';
import { ApiClient } from './client.ts';
import { configPath, readConfig, serverFault, type Config, type Context } from './config-file.ts';
import { connectionOf } from './connection.ts';
import { usageFailure } from '../failure.ts';
import { findLocalServer, isLocalServer, type LocalServer } from './local-server.ts';
import type { Terminal } from '../output/terminal.ts';

/** Options of every command. */
export interface GlobalOptions {
  readonly server?: string | undefined;
  readonly namespace?: string | undefined;
  readonly context?: string | undefined;
}

/** A value and its source. */
export interface Setting {
  readonly value: string;
  readonly origin: string;
}

export interface Session {
  readonly terminal: Terminal;
  readonly client: ApiClient;
  /** The value of `-n`. */
  readonly namespaceAsked: string | undefined;
  /** `-n`, else the configuration's namespace, else `default`. */
  readonly namespace: string;
}

export const DEFAULT_SERVER = 'http://127.0.0.1:7080';
const DEFAULT_NAMESPACE = 'default';

export interface Settings {
  readonly server: Setting;
  readonly namespace: Setting;
  /** The context in use; may be undefined. */
  readonly context: Setting | undefined;
  /** The credentials of the server. They are sent to their own server only. */
  readonly credentials: Context;
  /** The server of this machine, if it is in use and no other credentials are set. */
  readonly local?: LocalServer;
  readonly configPath: string;
}

/** Precedence: command line, environment, context, the file's top-level fields, default. */
export async function resolveSettings(options: GlobalOptions, terminal: Terminal): Promise<Settings> {
  const path = configPath(terminal);
  const config = await readConfig(path);
  const chosen = contextOf(options, terminal, config);
  const { context = {}, setting } = chosen ?? {};
  const own = setting && { value: context.server, origin: `context ${setting.value} of ${path}` };
  const isNamed = options.context !== undefined && own !== undefined;
  const server = first([
    { value: options.server, origin: '--server' },
    ...(isNamed ? [own] : []),
    { value: terminal.environment['TINK_SERVER'], origin: 'TINK_SERVER' },
    ...(own === undefined ? [] : [own]),
    { value: config.server, origin: path },
    { value: DEFAULT_SERVER, origin: 'default' },
  ]);
  const fault = serverFault(server.value);
  if (fault !== undefined) throw usageFailure(`${server.origin}: ${fault}`);
  const namespace = first([
    { value: options.namespace, origin: '--namespace' },
    { value: context.namespace, origin: own?.origin ?? path },
    { value: config.namespace, origin: path },
    { value: DEFAULT_NAMESPACE, origin: 'default' },
  ]);
  const credentials = context.server === server.value ? context : {};
  const settings = { server, namespace, context: setting, credentials, configPath: path };
  return { ...settings, ...(await localSettings(settings, terminal)) };
}

/** Returns the server of this machine if no other server and no other credentials are configured. */
async function localSettings(
  { server, credentials }: Settings,
  terminal: Terminal,
): Promise<Partial<Settings>> {
  if (terminal.environment['TINK_TOKEN'] || saysWho(credentials)) return {};
  const local = await findLocalServer(terminal);
  if (local === undefined) return {};
  if (server.origin === 'default') return { local, server: { value: local.plainUrl, origin: local.path } };
  return isLocalServer(server.value, local) ? { local } : {};
}

function saysWho({ token, tokenFile, login, clientCertificate }: Context): boolean {
  return [token, tokenFile, login, clientCertificate].some((one) => one !== undefined);
}

function contextOf(
  options: GlobalOptions,
  terminal: Terminal,
  config: Config,
): { readonly context: Context; readonly setting: Setting } | undefined {
  const setting = first([
    { value: options.context, origin: '--context' },
    { value: terminal.environment['TINK_CONTEXT'], origin: 'TINK_CONTEXT' },
    { value: config.currentContext, origin: configPath(terminal) },
  ]);
  if (setting.value === '') return undefined;
  return { context: contextNamed(setting.value, config, setting.origin), setting };
}

/** Throws a usage failure that lists the contexts. */
export function contextNamed(name: string, { contexts = {} }: Config, origin: string): Context {
  const context = contexts[name];
  if (context !== undefined) return context;
  const names = Object.keys(contexts);
  const close = nearest(name, names);
  const known =
    names.length === 0
      ? 'no context exists; create one with "tink config set-context"'
      : `existing: ${names.join(', ')}`;
  throw usageFailure(
    `${origin}: unknown context ${JSON.stringify(name)}`,
    close === undefined ? known : `did you mean ${close}?`,
  );
}

function first(candidates: readonly { value: string | undefined; origin: string }[]): Setting {
  for (const { value, origin } of candidates) if (value) return { value, origin };
  return { value: '', origin: '' };
}

export async function openSession(options: GlobalOptions, terminal: Terminal): Promise<Session> {
  const settings = await resolveSettings(options, terminal);
  return {
    terminal,
    client: await clientOf(settings, terminal),
    namespaceAsked: options.namespace,
    namespace: settings.namespace.value,
  };
}

async function clientOf(
  { server, credentials, context, configPath: path, local }: Settings,
  terminal: Terminal,
): Promise<ApiClient> {
  if (local !== undefined) {
    const tls = { ca: local.certificateAuthority };
    return new ApiClient(local.url, terminal.signal, { token: local.token, tls });
  }
  const place = context && { path, context: context.value };
  const connection = await connectionOf({ server: server.value, context: credentials, place }, terminal);
  return new ApiClient(server.value, terminal.signal, connection);
}
