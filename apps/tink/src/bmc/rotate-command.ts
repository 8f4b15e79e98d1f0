/** `tink bmc rotate`: gives BMCs new passwords, which only their Secrets know. */
import type { Command } from 'commander';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { TinkFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { askServer } from './ask-server.ts';
import { chosenMachines } from './chosen-machines.ts';

interface RotateFlags {
  readonly selector?: string;
  readonly all?: boolean;
  readonly timeout: string;
  readonly json?: boolean;
}

const wish = {
  annotation: 'tinkerbell.org/rotate-credentials',
  condition: 'CredentialsRotated',
  notDone: 'its password was not changed',
} as const;

export function addRotate(group: Command, terminal: Terminal): void {
  const command: Command = group
    .command('rotate [hardware...]')
    .description('give BMCs new random passwords, which are stored in their Secrets; one after the other')
    .option('-l, --selector <labels>', 'all machines with these labels: a=b,c!=d')
    .option('--all', 'all machines of the namespace that have a BMC')
    .option('--timeout <time>', 'time limit for each BMC: 90s, 10m', '2m')
    .option('--json', 'print one JSON line for each machine')
    .addHelpText('after', examples('tink bmc rotate m1', 'tink bmc rotate -l rack=r7'))
    .action((names: readonly string[]) => rotate(command, terminal, names));
}

async function rotate(command: Command, terminal: Terminal, names: readonly string[]): Promise<void> {
  const { selector, all = false, timeout, json = false } = command.opts<RotateFlags>();
  const timeoutSeconds = secondsOf('--timeout', timeout);
  const session = await sessionOf(command, terminal);
  const machines = await chosenMachines(session, { names, selector, all });
  let failed = 0;
  for (const machine of machines) {
    const name = machine.hardware.metadata.name;
    const failure = await askServer(session, machine, { ...wish, timeoutSeconds }).then(
      () => undefined,
      (thrown: unknown) => {
        if (thrown instanceof TinkFailure) return thrown.message;
        throw thrown;
      },
    );
    if (failure !== undefined) failed += 1;
    const result = {
      hardware: name,
      machine: machine.bmc,
      ok: failure === undefined,
      message: failure ?? '',
    };
    terminal.out(json ? `${JSON.stringify(result)}\n` : `${name}: ${failure ?? 'has a new password'}\n`);
  }
  if (failed > 0) throw new TinkFailure(`${failed} of ${machines.length} BMCs have no new password`);
}
