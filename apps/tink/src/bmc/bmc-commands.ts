/** `tink bmc`: what of a BMC works, and which parts it reports. */
import type { Command } from 'commander';
import { INVENTORY_CONDITION, type BmcFinding, type BmcReport } from '@tinkerbell/bmc';
import { hardwareKind } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { TinkFailure } from '../failure.ts';
import { printable, withoutControls } from '../output/printable.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { reportsOf } from './bmc-reports.ts';
import { chosenMachines } from './chosen-machines.ts';
import { addDiscover } from './discover-command.ts';
import { askServer } from './ask-server.ts';
import { addRotate } from './rotate-command.ts';

interface CheckFlags {
  readonly selector?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export function addBmc(program: Command, terminal: Terminal): void {
  const group = program
    .command('bmc')
    .description('find and check the BMCs of machines, read their parts, and change their passwords');
  addCheck(group, terminal);
  addInventory(group, terminal);
  addDiscover(group, terminal);
  addRotate(group, terminal);
}

function addCheck(group: Command, terminal: Terminal): void {
  const command: Command = group
    .command('check [hardware...]')
    .description(
      'print what of a BMC works, what it reports wrongly, and what to set; exits 1 when something fails',
    )
    .option('-l, --selector <labels>', 'all machines with these labels: a=b,c!=d')
    .option('--all', 'all machines of the namespace that have a BMC')
    .option('--json', 'print one JSON line for each machine')
    .addHelpText(
      'after',
      examples('tink bmc check m1', 'tink bmc check --all', 'tink bmc check -l rack=r7 --json'),
    )
    .action(async (names: readonly string[]) => {
      const { selector, all = false, json = false } = command.opts<CheckFlags>();
      const session = await sessionOf(command, terminal);
      const machines = await chosenMachines(session, { names, selector, all });
      const reports = await reportsOf(session, machines);
      for (const report of reports) terminal.out(json ? `${JSON.stringify(report)}\n` : textOf(report));
      const failed = reports.filter(({ findings }) => findings.some(({ state }) => state === 'failed'));
      if (failed.length > 0)
        throw new TinkFailure(`${failed.length} of ${reports.length} BMCs do not work as they should`);
    });
}

function textOf({ machine, host, findings }: BmcReport): string {
  const rows = findings.map(({ check, state, message }) => [`  ${check}`, shown[state], printable(message)]);
  return `${printable(`${machine} at ${host}`)}\n${alignedText(rows)}`;
}

const shown: Readonly<Record<BmcFinding['state'], string>> = {
  ok: 'ok',
  warning: 'warning',
  failed: 'FAILED',
};

const inventoryWish = {
  annotation: 'tinkerbell.org/refresh-inventory',
  condition: INVENTORY_CONDITION,
  notDone: 'its parts were not read',
} as const;

interface InventoryFlags {
  readonly timeout: string;
  readonly json?: boolean;
}

function addInventory(group: Command, terminal: Terminal): void {
  const command: Command = group
    .command('inventory <hardware>')
    .description('read the parts of a machine from its BMC now, and print them')
    .option('--timeout <time>', 'time limit: 90s, 10m', '2m')
    .option('--json', 'print JSON instead of YAML')
    .addHelpText('after', examples('tink bmc inventory m1', 'tink bmc inventory m1 --json'))
    .action(async (name: string) => {
      const { timeout, json = false } = command.opts<InventoryFlags>();
      const session = await sessionOf(command, terminal);
      const [machine] = await chosenMachines(session, { names: [name], all: false });
      if (machine === undefined) return;
      await askServer(session, machine, {
        ...inventoryWish,
        timeoutSeconds: secondsOf('--timeout', timeout),
      });
      const { namespace } = machine.hardware.metadata;
      const target = { kind: hardwareKind, namespace, name: machine.hardware.metadata.name };
      const parts = (await session.client.get(target)).status?.attributes?.outOfBand ?? {};
      terminal.out(withoutControls(json ? `${JSON.stringify(parts, undefined, 2)}\n` : stringifyYaml(parts)));
    });
}
