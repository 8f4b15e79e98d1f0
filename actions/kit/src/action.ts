/**
 * An action: a named piece of work on the machine, configured by environment variables like upstream's
 * container images.
 */
import type { Clock, Log } from '@tinkerbell/platform-contract';

import { ActionError, SettingsError } from './action-error.ts';
import { stopInTime } from './stop-in-time.ts';

export { ActionError };

export interface Progress {
  /** The current step in a few words, shown to the operator. */
  readonly message: string;
  readonly doneBytes?: number;
  readonly totalBytes?: number;
  readonly bytesPerSecond?: number;
}

export interface ActionContext {
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts at the action's timeout. */
  readonly signal: AbortSignal;
  /** The template's `command` list. Empty when it has none. */
  readonly command: readonly string[];
  progress(progress: Progress): void;
}

/** What the agent does to the machine after the server has acknowledged the action's success. */
export type MachineEffect = 'reboot' | 'power-off' | 'kexec';

export type ActionResult =
  | { readonly ok: true; readonly message: string; readonly afterReport?: MachineEffect }
  | {
      readonly ok: false;
      readonly error: string;
      /** True if the variables of the action are wrong, so that nothing was done. */
      readonly isSettings?: true;
    };

export type Environment = Readonly<Record<string, string>>;

export interface Action {
  /** The last element of the image name that selects it: `image2disk`. */
  readonly name: string;
  run(environment: Environment, context: ActionContext): Promise<ActionResult>;
}

/**
 * Creates an action from a function that throws ActionError for expected failures. It ends within a second
 * after its signal aborts.
 */
export function defineAction(
  name: string,
  work: (
    environment: Environment,
    context: ActionContext,
  ) => Promise<{ readonly message: string; readonly afterReport?: MachineEffect }>,
): Action {
  return {
    name,
    async run(environment, context): Promise<ActionResult> {
      try {
        return { ok: true, ...(await stopInTime(work(environment, context), context.signal)) };
      } catch (error) {
        if (error instanceof SettingsError) return { ok: false, error: error.message, isSettings: true };
        if (error instanceof ActionError) return { ok: false, error: error.message };
        throw error;
      }
    },
  };
}
