import type { Command } from 'commander';
import { examples, sessionOf } from '../command-line/command-line.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { rescue, type Rescued } from './rescue.ts';

interface RescueFlags {
  readonly end?: boolean;
  readonly restart: boolean;
  readonly timeout: string;
}

export function addRescue(program: Command, terminal: Terminal): void {
  program
    .command('rescue <hardware>')
    .description('boot a machine into the in-memory OS with a root shell on its console, for repairs')
    .option('--end', 'end the repair: the machine boots its disk again')
    .option('--no-restart', 'leave the power to you, even if the machine has a BMC')
    .option('--timeout <time>', 'time limit for the BMC: 90s, 10m', '12m')
    .addHelpText(
      'after',
      `
The agent does not run, so nothing writes to the disks. The setting stays until --end.
${examples('tink rescue m1', 'tink console m1', 'tink rescue m1 --end')}`,
    )
    .action(async (machine: string, flags: RescueFlags, command: Command) => {
      const isOver = flags.end === true;
      const timeoutSeconds = secondsOf('--timeout', flags.timeout);
      const wish = { machine, isOver, restarts: flags.restart, timeoutSeconds };
      const rescued = await rescue(await sessionOf(command, terminal), wish);
      terminal.out(`${rescued.hardware.metadata.name}: ${isOver ? 'repair ended' : 'in rescue'}\n`);
      terminal.err(nextStep(rescued, isOver));
    });
}

function nextStep({ hardware, isRestarted }: Rescued, isOver: boolean): string {
  const { name } = hardware.metadata;
  const hasBmc = (hardware.spec?.bmcRef?.name ?? '') !== '';
  const open = hasBmc ? `open its console: tink console ${name}` : 'use its console';
  if (isOver) return isRestarted ? 'next: it boots its disk\n' : 'next: restart the machine\n';
  return isRestarted
    ? `next: ${open}\n`
    : `next: restart the machine so that it boots from the network, and ${open}\n`;
}
