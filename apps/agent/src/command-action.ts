import { defineAction, mustRun, type Action } from '@tinkerbell/action-kit';

const MACHINE_COMMANDS: Readonly<Record<string, 'reboot' | 'power-off'>> = {
  reboot: 'reboot',
  poweroff: 'power-off',
  halt: 'power-off',
};

/**
 * Runs the template's command with the busybox of the in-memory OS, in place of an image whose whole use is its
 * shell. `reboot` and `poweroff` wait for the acknowledgement, as the reboot action does.
 */
export function commandAction(name: string): Action {
  return defineAction(name, async (environment, context) => {
    const [program, ...rest] = context.command;
    if (program === undefined) return { message: 'no command' };
    const afterReport = MACHINE_COMMANDS[program.split('/').at(-1) ?? ''];
    if (afterReport !== undefined) return { message: 'command accepted', afterReport };
    await mustRun(program, rest, { signal: context.signal, environment, log: context.log });
    return { message: 'command ended with 0' };
  });
}
