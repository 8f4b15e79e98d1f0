/**
 * The session of the agent that runs this action. With it the server returns data that is for this machine
 * only.
 */

/**
 * The variable in which the agent passes it, and the origins (`http://192.0.2.1:7171`) to which it may be
 * sent.
 */
const VARIABLE = 'TINKERBELL_SESSION';
const ORIGINS_VARIABLE = 'TINKERBELL_SESSION_ORIGINS';
const HEADER = 'X-Tinkerbell-Session';

export interface AgentSession {
  /** Empty if the server issued none. */
  readonly session: string;
  /** Where it may be sent. */
  readonly origins: readonly string[];
  /** Returns headers for a request: the session for the server itself, and none for other origins. */
  headersFor(url: URL): Readonly<Record<string, string>>;
}

/** Removes it from the environment, so that programs of an action do not inherit it. */
export function takeAgentSession(environment: Record<string, string | undefined>): AgentSession {
  const { [VARIABLE]: session = '', [ORIGINS_VARIABLE]: origins = '' } = environment;
  delete environment[VARIABLE];
  delete environment[ORIGINS_VARIABLE];
  const own = new Set(origins.split(' ').filter((origin) => origin !== ''));
  return {
    session,
    origins: [...own],
    headersFor({ origin }): Record<string, string> {
      return session !== '' && own.has(origin) ? { [HEADER]: session } : {};
    },
  };
}

/** The session of this process. */
export const agentSession: AgentSession = takeAgentSession(process.env);
