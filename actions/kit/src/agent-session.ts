/** The session of the agent that runs this action: with it the server gives what is for this machine only. */

/** Where the agent puts it, and the origins (`http://192.0.2.1:7171`) to which it may go. */
const VARIABLE = 'TINKERBELL_SESSION';
const ORIGINS_VARIABLE = 'TINKERBELL_SESSION_ORIGINS';
const HEADER = 'X-Tinkerbell-Session';

export interface AgentSession {
  /** Headers for a request: the session for the server itself, nothing for anybody else. */
  headersFor(url: URL): Readonly<Record<string, string>>;
}

/** Takes it out of the environment, so that programs an action runs do not inherit it. */
export function takeAgentSession(environment: Record<string, string | undefined>): AgentSession {
  const { [VARIABLE]: session = '', [ORIGINS_VARIABLE]: origins = '' } = environment;
  delete environment[VARIABLE];
  delete environment[ORIGINS_VARIABLE];
  const own = new Set(origins.split(' '));
  return {
    headersFor({ origin }): Record<string, string> {
      return session !== '' && own.has(origin) ? { [HEADER]: session } : {};
    },
  };
}

/** Of this process. */
export const agentSession: AgentSession = takeAgentSession(process.env);
