import type { RegistrySettings } from './registry-settings.ts';

/** The user name with which the server's registry accepts a session as the password. */
const SESSION_USER = 'agent-session';

export interface OwnServer {
  /** The session of the agent. Empty if the server issued none. */
  readonly session: string;
  /** Where the session may be sent: `http://192.0.2.1:7080`. */
  readonly origins: readonly string[];
  /** The folder from which this system came. Its server may have a registry at the same host and port. */
  readonly hookUrl: string | undefined;
}

/**
 * Adds the registry of the agent's own server: with the session as its password, and without TLS if the server has
 * none. What the operator configured for the same host has precedence.
 */
export function withOwnServer(settings: RegistrySettings, server: OwnServer): RegistrySettings {
  const { session, origins, hookUrl } = server;
  const own = session === '' ? [] : origins.flatMap((origin) => URL.parse(origin) ?? []);
  const all = [...own, URL.parse(hookUrl ?? '') ?? []].flat();
  const plain = all.filter(({ protocol }) => protocol === 'http:').map(({ host }) => host);
  const credentials = own.map(({ host }) => ({ registry: host, username: SESSION_USER, password: session }));
  return {
    ...settings,
    credentials: [...settings.credentials, ...credentials],
    plainHttp: [...new Set([...settings.plainHttp, ...plain])],
  };
}
