import type { AgentSession } from '@tinkerbell/action-kit';
import type { RegistrySettings } from '@tinkerbell/registry-client';

/** The user name with which the server's registry accepts a session as the password. */
const SESSION_USER = 'agent-session';

/**
 * Adds the registry of the agent's own server: with the session as its password, and without TLS if the server has
 * none. What the operator configured for the same host has precedence.
 */
export function withOwnServer(
  settings: RegistrySettings,
  { session, origins }: Pick<AgentSession, 'session' | 'origins'>,
): RegistrySettings {
  const urls = session === '' ? [] : origins.flatMap((origin) => URL.parse(origin) ?? []);
  const own = urls.map(({ host }) => ({ registry: host, username: SESSION_USER, password: session }));
  const plain = urls.filter(({ protocol }) => protocol === 'http:').map(({ host }) => host);
  return {
    ...settings,
    credentials: [...settings.credentials, ...own],
    plainHttp: [...settings.plainHttp, ...plain],
  };
}
