/** `tink bmc discover` */
import type { Command } from 'commander';
import { examples } from '../command-line/command-line.ts';
import type { Terminal } from '../output/terminal.ts';

export function addDiscover(group: Command, terminal: Terminal): void {
  const command: Command = group
    .command('discover')
    .description(
      'search networks for BMCs, without credentials; sends IPMI pings, HTTPS requests and one SSDP search',
    )
    .option(
      '--range <addresses...>',
      '192.0.2.0/24, 192.0.2.10-192.0.2.90 or one address (default: SSDP, and BMCs that asked the server for an address)',
      [],
    )
    .option('--timeout <time>', 'time limit for each answer', '3s')
    .option('--ipmi-port <port>', 'UDP port of IPMI', '623')
    .option('--redfish-port <port>', 'TCP port of Redfish', '443')
    .option('--manifests', 'print manifests for the BMCs that no Machine of the namespace names')
    .option('--json', 'print one JSON line for each BMC')
    .addHelpText(
      'after',
      examples(
        'tink bmc discover --range 192.168.56.0/24',
        'tink bmc discover --range 192.168.56.200-192.168.56.240 --manifests > bmcs.yaml',
      ),
    )
    .action(async () => {
      const { discover } = await import('./discover.ts');
      await discover(command, terminal);
    });
}
