import { defineAction } from '@tinkerbell/action-kit';

/**
 * Restarts the machine, or powers it off when the command is `poweroff`. The agent does so only after the
 * server has acknowledged this action's success, so that a workflow never waits for a machine that has
 * restarted.
 */
export const rebootAction = defineAction('reboot', async (_environment, context) =>
  context.command[0] === 'poweroff'
    ? { message: 'the machine powers off', afterReport: 'power-off' as const }
    : { message: 'the machine restarts', afterReport: 'reboot' as const },
);
