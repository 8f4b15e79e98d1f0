/** What a command works with: the server, the namespace, the terminal. */
import { ApiClient } from './client.ts';
import { configPath, readConfig, serverFault } from './config-file.ts';
import { usageFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly server?: string | undefined;
  readonly namespace?: string | undefined;
}

/** A value and who said it. */
export interface Setting {
  readonly value: string;
  readonly origin: string;
}

export interface Session {
  readonly terminal: Terminal;
  readonly client: ApiClient;
  /** What `-n` said. */
  readonly namespaceAsked: string | undefined;
  /** `-n`, else the configuration's, else `default`. */
  readonly namespace: string;
}

export const DEFAULT_SERVER = 'http://127.0.0.1:7080';
const DEFAULT_NAMESPACE = 'default';

export interface Settings {
  readonly server: Setting;
  readonly namespace: Setting;
  readonly configPath: string;
}

/** Command line before environment before file before default. */
export async function resolveSettings(options: GlobalOptions, terminal: Terminal): Promise<Settings> {
  const path = configPath(terminal);
  const config = await readConfig(path);
  const server = first([
    { value: options.server, origin: '--server' },
    { value: terminal.environment['TINK_SERVER'], origin: 'TINK_SERVER' },
    { value: config.server, origin: path },
    { value: DEFAULT_SERVER, origin: 'default' },
  ]);
  const fault = serverFault(server.value);
  if (fault !== undefined) throw usageFailure(`${server.origin}: ${fault}`);
  const namespace = first([
    { value: options.namespace, origin: '--namespace' },
    { value: config.namespace, origin: path },
    { value: DEFAULT_NAMESPACE, origin: 'default' },
  ]);
  return { server, namespace, configPath: path };
}

function first(candidates: readonly { value: string | undefined; origin: string }[]): Setting {
  for (const { value, origin } of candidates) if (value) return { value, origin };
  return { value: '', origin: '' };
}

export async function openSession(options: GlobalOptions, terminal: Terminal): Promise<Session> {
  const { server, namespace } = await resolveSettings(options, terminal);
  return {
    terminal,
    client: new ApiClient(server.value, terminal.signal),
    namespaceAsked: options.namespace,
    namespace: namespace.value,
  };
}
