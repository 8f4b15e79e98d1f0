import type { AgentAttributes } from '@tinkerbell/api/agent';
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import type { ServerLink } from './server-link.ts';
import type { Settings } from './settings.ts';
import type { Spool } from './spool.ts';

export interface AgentDependencies {
  readonly settings: Settings;
  readonly client: ServerLink;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Ends the loop. */
  readonly signal: AbortSignal;
  readonly attributes: AgentAttributes | undefined;
  /** Variables of the process of every action, which the template does not see. */
  readonly actionEnvironment: () => Readonly<Record<string, string>>;
}
