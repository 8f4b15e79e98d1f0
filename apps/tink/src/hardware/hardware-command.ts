import type { Command } from 'commander';
import { hardwareKind } from '@tinkerbell/resources';
import { approveHardware } from './approve-hardware.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { asHardwareManifests } from './hardware-files.ts';
import { readManifestFiles } from '../manifests/manifest-files.ts';
import type { LocatedObject } from '../manifests/manifest-objects.ts';
import type { Terminal } from '../output/terminal.ts';
import { applyFiles } from '../apply/apply-command.ts';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';
import { addAccept } from '../unknown/unknown-command.ts';
import { addKindVerbs } from '../command-line/kind-verbs.ts';

interface PushOptions {
  readonly file?: readonly string[];
  readonly dryRun?: boolean;
}

const pushHelp = `
Examples:
  tink hardware push --file m1.yaml
  tink hardware push --file hardware.json     file format of the first Tink (id, metadata, network.interfaces)
  tink hardware push --file - < m1.yaml

The smallest Hardware that boots from the network:
  apiVersion: tinkerbell.org/v1alpha1
  kind: Hardware
  metadata:
    name: m1
  spec:
    disks:
    - device: /dev/sda
    interfaces:
    - dhcp:
        mac: 08:00:27:9e:f5:3a
        ip:
          address: 192.168.56.43
          netmask: 255.255.255.0
      netboot:
        allowPXE: true
        allowWorkflow: true
`;

export function addHardware(program: Command, terminal: Terminal): void {
  const group = program
    .command('hardware')
    .alias('hw')
    .description('manage machines: push, accept, list, get, describe, approve, delete');
  group
    .command('push')
    .alias('create')
    .description('register machines, or change registered ones')
    .option('--file <path>', 'file, folder, or - for standard input; may be repeated', collected)
    .option('--dry-run', 'run the server’s checks without storing anything')
    .addHelpText('after', pushHelp)
    .action(async ({ file, dryRun }: PushOptions, command: Command) => {
      if (file === undefined) throw usageFailure('hardware push needs --file FILE');
      const session = await sessionOf(command, terminal);
      const sources = await readManifestFiles(file, terminal);
      const note = (line: string): void => terminal.err(`${line}\n`);
      const manifests = sources.map((source) => asHardwareManifests(source, session.namespace, note));
      await applyFiles(session, manifests, { dryRun: dryRun ? 'server' : undefined, accept: onlyHardware });
    });
  addKindVerbs(group, hardwareKind, terminal);
  addAccept(group, terminal);
  group
    .command('approve <names...>')
    .description('approve discovered machines, so that they can be enrolled')
    .addHelpText('after', examples('tink hardware approve discovery-08-00-27-9e-f5-3a'))
    .action(async (names: readonly string[], _options: unknown, command: Command) =>
      approveHardware(await sessionOf(command, terminal), names),
    );
}

function onlyHardware(objects: readonly LocatedObject[]): void {
  const other = objects.find(({ kind }) => kind !== hardwareKind);
  if (other === undefined) return;
  throw new TinkFailure(
    `${other.file.name} contains a ${other.kind.kind}; hardware push accepts only Hardware`,
    {
      advice: `to apply any kind, run tink apply -f ${other.file.name}`,
    },
  );
}
