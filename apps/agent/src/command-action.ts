import { defineAction, mustRun, type Action } from '@tinkerbell/action-kit';

const MACHINE_COMMANDS: Readonly<Record<string, 'reboot' | 'power-off'>> = {
  reboot: 'reboot',
  poweroff: 'power-off',
  halt: 'power-off',
};

/**
 * Runs the template's command with the busybox of the in-memory OS. It replaces images that only provide a shell.
 * `reboot` and `poweroff` wait for the acknowledgement, like the reboot action.
 */
export function commandAction(name: string): Action {
  return defineAction(name, async (environment, context) => {
    const [program, ...rest] = context.command;
    if (program === undefined) return { message: 'no command' };
    const afterReport = MACHINE_COMMANDS[program.split('/').at(-1) ?? ''];
    if (afterReport !== undefined) return { message: 'command accepted', afterReport };
    await mustRun(program, rest, { signal: context.signal, environment, log: context.log });
    return { message: 'command exited with 0' };
  });
}
