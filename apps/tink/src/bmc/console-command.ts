/** `tink console`: watches the serial console of a machine, with OpenSSH's client and the user's own keys. */
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { codeOf } from '@tinkerbell/platform-contract';
import type { Hardware } from '@tinkerbell/resources';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { TinkFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { findHardware } from '../workflow/create-workflow.ts';
import { portOf } from './port-option.ts';
import { printRecorded } from './recorded-console.ts';

interface ConsoleFlags {
  readonly port: string;
  readonly identity?: string;
  readonly sshOption: readonly string[];
  readonly recorded?: boolean;
  readonly follow?: boolean;
  readonly timestamps?: boolean;
}

/** The exit code of ssh when the connection fails. */
const CONNECTION_FAILED = 255;

export function addConsole(program: Command, terminal: Terminal): void {
  const command: Command = program
    .command('console <hardware>')
    .description('watch the serial console of a machine, and type into it; ~. at the start of a line ends it')
    .option('--port <port>', 'SSH port of the server (--secondstar-port)', '2222')
    .option(
      '-i, --identity <file>',
      'private key (default: those of ssh); its public key is in metadata.instance.ssh_keys of the Hardware',
    )
    .option('--ssh-option <option...>', 'option of ssh, for example StrictHostKeyChecking=accept-new', [])
    .option('--recorded', 'print what the server has recorded, without SSH')
    .option('-f, --follow', 'with --recorded: keep printing new lines')
    .option('--timestamps', 'with --recorded: print the time of each line')
    .addHelpText(
      'after',
      examples(
        'tink console m1',
        'tink console 08:00:27:9e:f5:3a -i ~/.ssh/id_ed25519',
        'tink console m1 --recorded | tail -50',
      ),
    )
    .action((name: string) => watchConsole(command, terminal, name));
}

async function watchConsole(command: Command, terminal: Terminal, name: string): Promise<void> {
  const flags = command.opts<ConsoleFlags>();
  const session = await sessionOf(command, terminal);
  const hardware = await findHardware(session, name);
  if (flags.recorded === true) return printRecorded(session, hardware, flags);
  checkBmc(hardware);
  const { port, identity, sshOption: sshOptions } = flags;
  const host = new URL(session.client.server).hostname.replace(/^\[|\]$/g, '');
  const words = sshWords({ hardware, host, port: portOf('--port', port), identity, sshOptions });
  const code = await runSsh(words, terminal);
  if (code === 0) return;
  const advice =
    code === CONNECTION_FAILED
      ? `check that the server runs with --enable-secondstar, and that your key is in metadata.instance.ssh_keys of hardware/${hardware.metadata.name}`
      : 'see what ssh printed';
  throw new TinkFailure(`the console has ended with code ${code}`, { advice });
}

function checkBmc({ metadata, spec }: Hardware): void {
  if ((spec?.bmcRef?.name ?? '') !== '') return;
  throw new TinkFailure(`hardware/${metadata.name} has no BMC`, {
    advice: 'create a Machine of bmc.tinkerbell.org, and set spec.bmcRef of the Hardware to its name',
  });
}

/** The escape character belongs to the server, which shares one console among several sessions. */
function sshWords({
  hardware,
  host,
  port,
  identity,
  sshOptions,
}: {
  readonly hardware: Hardware;
  readonly host: string;
  readonly port: number;
  readonly identity?: string | undefined;
  readonly sshOptions: readonly string[];
}): readonly string[] {
  const { namespace, name } = hardware.metadata;
  return [
    '-tt',
    '-e',
    'none',
    '-p',
    String(port),
    ...(identity === undefined ? [] : ['-i', identity, '-o', 'IdentitiesOnly=yes']),
    ...sshOptions.flatMap((option) => ['-o', option]),
    '-l',
    `${namespace}/${name}`,
    '--',
    host,
  ];
}

function runSsh(words: readonly string[], { environment, signal }: Terminal): Promise<number> {
  const child = spawn('ssh', words, { stdio: 'inherit', env: { ...environment }, signal });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => resolve(code ?? CONNECTION_FAILED));
    child.once('error', (error) => {
      if (codeOf(error) !== 'ENOENT') return reject(error);
      reject(new TinkFailure('the program ssh is missing', { advice: 'install openssh-client' }));
    });
  });
}
