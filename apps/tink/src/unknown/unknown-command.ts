/** `tink get unknown` and `tink hardware accept`. */
import type { Command } from 'commander';
import { stringifyYaml } from '@tinkerbell/yaml';
import { acceptHardware } from './accept-hardware.ts';
import { usageFailure } from '../failure.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { acceptLine, DISCOVER_LINE, unknownMachines, unknownTable } from './unknown-machines.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

/** Used in place of a kind, because the listed machines are not objects. */
export function isUnknownMachines(kind: string): boolean {
  return ['unknown', 'unknown-machines'].includes(kind);
}

export async function getUnknown(session: Session, output: string): Promise<void> {
  const machines = await unknownMachines(session);
  const { out, err } = session.terminal;
  switch (output) {
    case 'json':
      return out(`${JSON.stringify({ items: machines }, undefined, 2)}\n`);
    case 'yaml':
      return out(stringifyYaml({ items: machines }));
    case 'name':
      return out(machines.map(({ mac }) => `${mac}\n`).join(''));
    case 'table':
    case 'wide':
      break;
    default:
      throw usageFailure(`-o ${output}: unknown machines support table, json, yaml and name`);
  }
  if (machines.length === 0)
    return err('no unregistered machine has asked this server to boot since it started\n');
  out(unknownTable(machines));
  const first = machines.find(({ bmc }) => bmc === undefined);
  if (first !== undefined) err(`\nregister one with: ${acceptLine(first.mac)}\n`);
  if (machines.some(({ bmc }) => bmc !== undefined)) err(`\nregister BMCs with: ${DISCOVER_LINE}\n`);
}

interface AcceptFlags {
  readonly name?: string;
  readonly address?: string | false;
  readonly gateway?: string;
  readonly dryRun?: boolean;
}

export function addAccept(group: Command, terminal: Terminal): void {
  group
    .command('accept <mac>')
    .description('register a machine that asked to boot, with the attributes of its requests')
    .option('--name <name>', 'name of the Hardware (default: machine-MAC)')
    .option('--address <address/prefix>', 'address of the machine')
    .option('--no-address', 'for machines that get their address from a pool or another DHCP server')
    .option('--gateway <address>', 'gateway of the machine')
    .option('--dry-run', 'run the server’s checks without storing anything')
    .addHelpText(
      'after',
      examples(
        'tink get unknown',
        'tink hardware accept 08:00:27:9e:f5:3a --address 192.168.56.43/24',
        'tink hardware accept 08:00:27:9e:f5:3a --name m1 --address 192.168.56.43/24 --gateway 192.168.56.1',
      ),
    )
    .action(async (mac: string, flags: AcceptFlags, command: Command) => {
      const { name, address, gateway, dryRun = false } = flags;
      const session = await sessionOf(command, terminal);
      const { metadata } = await acceptHardware(session, { mac, name, address, gateway, dryRun });
      terminal.out(`hardware/${metadata.name} created${dryRun ? ' (dry run)' : ''}\n`);
      if (terminal.isTty && !dryRun)
        terminal.err(`next: tink workflow create --template NAME --hardware ${metadata.name}\n`);
    });
}
