import type { Command } from 'commander';
import { pairsOf } from '../workflow/hardware-map.ts';
import { PROTECTED_ANNOTATION, reprovision, type Reprovisioned } from './reprovision.ts';
import type { Terminal } from '../output/terminal.ts';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';

interface ReprovisionFlags {
  readonly template?: string;
  readonly bootMode?: string;
  readonly isoUrl?: string;
  readonly name?: string;
  readonly set?: readonly string[];
  readonly dryRun?: boolean;
}

export function addReprovision(program: Command, terminal: Terminal): void {
  program
    .command('reprovision <hardware>')
    .description('provision a machine again, as its last workflow did; prints the name of the new workflow')
    .option('-t, --template <name>', 'template (default: that of the last workflow)')
    .option(
      '--boot-mode <mode>',
      'netboot, isoboot or customboot, through the BMC (default: that of the last workflow)',
    )
    .option('--iso-url <url>', 'ISO image of --boot-mode isoboot (default: that of the last workflow)')
    .option(
      '--name <name>',
      'name of the workflow (default: HARDWARE-TEMPLATE, with a number if it is taken)',
    )
    .option('--set <name=value>', 'template value; overrides that of the last workflow', collected)
    .option('--dry-run', 'run the server’s checks without storing anything')
    .addHelpText(
      'after',
      `
The next boot overwrites the machine's disks. The command refuses a Hardware with the annotation ${PROTECTED_ANNOTATION}:
  tink annotate hardware m1 ${PROTECTED_ANNOTATION}="customer data"      protects it
  tink annotate hardware m1 ${PROTECTED_ANNOTATION}-                     removes the protection
${examples(
  'tink reprovision m1',
  'tink reprovision 08:00:27:9e:f5:3a --template debian-13',
  'tink reprovision m1 --boot-mode netboot      the BMC restarts it from the network',
)}`,
    )
    .action(async (machine: string, flags: ReprovisionFlags, command: Command) => {
      const { template, bootMode, isoUrl, name, dryRun = false } = flags;
      const pairs = pairsOf(flags.set ?? []);
      const wish = { machine, template, bootMode, isoUrl, name, pairs, dryRun };
      const made = await reprovision(await sessionOf(command, terminal), wish);
      terminal.out(`${made.workflow.metadata.name}\n`);
      if (!dryRun) terminal.err(nextStep(made));
    });
}

/** Describes how the machine is restarted. */
function nextStep({ hardware, workflow }: Reprovisioned): string {
  const { name } = workflow.metadata;
  const mode = workflow.spec?.bootOptions?.bootMode ?? '';
  const hasBmc = hardware.spec?.bmcRef !== undefined && mode !== '';
  const power = hasBmc
    ? `next: its BMC restarts it (${mode})`
    : 'next: restart the machine so that it boots from the network';
  return `${power}; watch it with: tink workflow events ${name} -w\n`;
}
