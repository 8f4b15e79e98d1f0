import { hardwareKind, isOfKind, type Hardware } from '@tinkerbell/resources';
import type { Command } from 'commander';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';
import type { Session } from '../client/session.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { readManifestFiles } from '../manifests/manifest-files.ts';
import { checkManifests, formatManifestProblem, type LocatedObject } from '../manifests/manifest-objects.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { pairsOf } from '../workflow/hardware-map.ts';
import { checkSystem } from './check-system.ts';
import type { Finding } from './finding.ts';
import { fileText, initSystem, knownSystem, type InitWish } from './init-system.ts';
import { systems } from './systems.ts';
import { problemOfUrl } from './url-problem.ts';

export function addOs(program: Command, terminal: Terminal): void {
  const os = program
    .command('os')
    .description('operating systems: list them, write their manifests, find what is missing')
    .addHelpText(
      'after',
      examples(
        'tink os list',
        'tink os init vyos --hardware r1 --address 192.168.1.4 --public-key ~/.ssh/id_ed25519.pub',
        'tink os check -f vyos',
      ),
    );
  addList(os, terminal);
  addInit(os, terminal);
  addCheck(os, terminal);
}

function addList(os: Command, terminal: Terminal): void {
  os.command('list')
    .description('list the systems that "tink os init" knows')
    .option('--json', 'print one JSON line for each system')
    .addHelpText('after', examples('tink os list', 'tink os list --json'))
    .action(({ json }: { readonly json?: boolean }) => {
      if (json === true) return systems.forEach((one) => terminal.out(`${JSON.stringify(one)}\n`));
      const rows = systems.map((one) => [
        one.name,
        one.firmware === 'uefi' ? 'UEFI' : 'any',
        `${one.memoryMebibytes / 1024} GiB`,
        one.userData ?? '-',
        one.summary,
      ]);
      terminal.out(alignedText([['SYSTEM', 'FIRMWARE', 'MEMORY', 'USER-DATA', 'WHAT'], ...rows]));
    });
}

interface InitFlags {
  readonly hardware?: string;
  readonly dir?: string;
  readonly address?: string;
  readonly disk?: string;
  readonly userData?: string;
  readonly publicKey?: string;
  readonly passwordHash?: string;
  readonly clusterToken?: string;
  readonly vip?: string;
  readonly set?: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

function addInit(os: Command, terminal: Terminal): void {
  os.command('init <system>')
    .description('write Hardware, Template and Workflow of a system for registered machines')
    .option('--hardware <names>', 'names or MACs of registered machines, separated by commas')
    .option('--dir <folder>', 'folder for the files (default: the name of the system)')
    .option(
      '--address <host[:port]>',
      'the server as the machines reach it (default: the server of tink, port 7080)',
    )
    .option('--disk <device>', 'disk to install to (default: spec.disks of the Hardware)')
    .option('--user-data <file>', 'configuration of the machines, in place of the example’s')
    .option('--public-key <file>', 'public key of OpenSSH for logins')
    .option('--password-hash <hash>', 'password hash for logins, as mkpasswd prints it')
    .option('--cluster-token <token>', 'token of a Harvester cluster')
    .option('--vip <address>', 'virtual address of a Harvester cluster')
    .option('--set <name=value>', 'value of the hardwareMap; may be repeated', collected)
    .option('--force', 'replace files that exist')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        'tink os init talos-netboot --hardware m1,m2 --user-data worker.yaml',
        'tink os init harvester --hardware m1,m2,m3 --vip 10.10.20.9 --cluster-token T   m1 creates, the others join',
        'tink os init vyos --hardware r1 --disk /dev/disk/by-id/ata-SAMSUNG_S3Z --set image_url=http://…',
      ),
    )
    .action(async (system: string, flags: InitFlags, command: Command) => {
      knownSystem(system);
      const session = await sessionOf(command, terminal);
      const { files, left } = await initSystem(session, await wishOf(system, flags));
      if (flags.json === true) return terminal.out(`${JSON.stringify({ files, left })}\n`);
      terminal.out(files.map((path) => `${path} written\n`).join(''));
      const folder = flags.dir ?? system;
      if (left.length > 0) terminal.err(`${left.join('\n')}\nnext: edit these values\n`);
      terminal.err(`next: tink os check -f ${folder}, then tink apply -f ${folder}\n`);
    });
}

async function wishOf(system: string, flags: InitFlags): Promise<InitWish> {
  const machines = (flags.hardware ?? '').split(',').filter((one) => one !== '');
  if (machines.length === 0)
    throw usageFailure(
      '--hardware is missing',
      'name registered machines: --hardware m1,m2 (tink get hardware)',
    );
  return {
    system,
    machines,
    folder: flags.dir ?? system,
    force: flags.force === true,
    address: flags.address,
    answers: {
      disk: diskOf(flags.disk),
      userData: await fileText(flags.userData),
      publicKey: (await fileText(flags.publicKey))?.trim(),
      passwordHash: flags.passwordHash,
      clusterToken: flags.clusterToken,
      vip: flags.vip,
      values: pairsOf(flags.set ?? []),
    },
  };
}

function diskOf(disk: string | undefined): string | undefined {
  if (disk === undefined || disk.startsWith('/dev/')) return disk;
  throw usageFailure(`--disk ${disk} must begin with /dev/`, 'for example /dev/disk/by-id/nvme-MODEL_SERIAL');
}

interface CheckFlags {
  readonly filename?: readonly string[];
  readonly json?: boolean;
}

function addCheck(os: Command, terminal: Terminal): void {
  os.command('check')
    .description('list what is missing before a machine is touched; exits 1 if something is')
    .option('-f, --filename <path>', 'file, folder, or - for standard input; may be repeated', collected)
    .option('--json', 'print one JSON line for each finding')
    .addHelpText(
      'after',
      `
Checks placeholders, images and their checksums, disks, memory, firmware and user-data.
Memory is what the BMC or the agent has reported to the server.
${examples('tink os check -f talos', 'tink os check -f site/ --json')}`,
    )
    .action(async (flags: CheckFlags, command: Command) => {
      if (flags.filename === undefined)
        throw usageFailure('os check needs files: -f FILE, -f FOLDER or -f -');
      const session = await sessionOf(command, terminal);
      const objects = await objectsOf(session, flags.filename);
      const findings = await checkSystem({
        objects,
        stored: await storedMachines(session, objects),
        problemOfUrl: (url) => problemOfUrl(url, terminal.signal),
      });
      terminal.out(
        flags.json === true ? findings.map((one) => `${JSON.stringify(one)}\n`).join('') : pageOf(findings),
      );
      const missing = findings.filter(({ level }) => level === 'missing').length;
      if (missing > 0) throw new TinkFailure(`${missing} missing; no machine was touched`);
    });
}

async function objectsOf(session: Session, paths: readonly string[]): Promise<readonly LocatedObject[]> {
  const files = await readManifestFiles(paths, session.terminal, { recursive: true });
  const choice = { fallback: session.namespace, required: session.namespaceAsked };
  const { objects, problems } = checkManifests(files, choice);
  if (problems.length > 0)
    throw new TinkFailure([...problems.map(formatManifestProblem), `${problems.length} problems`].join('\n'));
  return objects;
}

/** A server that is unreachable knows no machine, and the files are checked anyway. */
async function storedMachines(
  { client }: Session,
  objects: readonly LocatedObject[],
): Promise<ReadonlyMap<string, Hardware>> {
  const stored = new Map<string, Hardware>();
  for (const { resource } of objects) {
    if (!isOfKind(resource, hardwareKind)) continue;
    const { name, namespace } = resource.metadata;
    const found = await client.find({ kind: hardwareKind, namespace, name }).catch((thrown: unknown) => {
      if (thrown instanceof TinkFailure) return undefined;
      throw thrown;
    });
    if (found !== undefined) stored.set(name, found);
  }
  return stored;
}

function pageOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ machine, item, level, message }) => [machine, item, level, message]);
  return alignedText([['MACHINE', 'ITEM', 'STATE', 'DETAIL'], ...rows]);
}
