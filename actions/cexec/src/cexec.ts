import { copyFile, lstat } from 'node:fs/promises';
import { join } from 'node:path';

import {
  defineAction,
  mustRun,
  readEnvironment,
  withMounted,
  withSystemDirectories,
  type ActionContext,
  type Environment,
} from '@tinkerbell/action-kit';

const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface Settings {
  readonly device: string;
  readonly fileSystem: string;
  readonly commands: readonly (readonly string[])[];
  readonly chroot: boolean;
  readonly updateResolvConf: boolean;
}

/**
 * Runs commands inside the file system on a block device. Variables as in upstream's cexec: BLOCK_DEVICE,
 * FS_TYPE, CMD_LINE, CHROOT, DEFAULT_INTERPRETER, UPDATE_RESOLV_CONF. Without an interpreter CMD_LINE is
 * split at `;` and spaces, without quoting, as upstream does.
 */
export const cexecAction = defineAction('cexec', async (environment, context) => {
  const settings = readSettings(environment);
  await withMounted(settings, context, (root) => runInside(root, settings, context));
  return { message: `ran ${settings.commands.length} command(s) on ${settings.device}` };
});

function readSettings(environment: Environment): Settings {
  const read = readEnvironment('cexec', environment);
  const commandLine = read.required('CMD_LINE', 'the command to run');
  const settings = {
    device: read.absolutePath('BLOCK_DEVICE', 'the partition, for example /dev/sda1'),
    fileSystem: read.required('FS_TYPE', 'its file system, for example ext4'),
    commands: splitCommands(commandLine, read.optional('DEFAULT_INTERPRETER')),
    // Upstream's templates write y or true. Any value except a refusal enables it.
    chroot: !/^(|n|no|false|0)$/i.test(environment['CHROOT'] ?? ''),
    updateResolvConf: read.flag('UPDATE_RESOLV_CONF', false),
  };
  read.finish();
  return settings;
}

/** `/bin/sh -c` gets the whole line as one argument. Without an interpreter words are split at spaces. */
export function splitCommands(
  commandLine: string,
  interpreter: string | undefined,
): readonly (readonly string[])[] {
  if (interpreter !== undefined) return [[...words(interpreter), commandLine]];
  return commandLine
    .split(';')
    .map(words)
    .filter((command) => command.length > 0);
}

function words(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}

async function runInside(root: string, settings: Settings, context: ActionContext): Promise<void> {
  const work = () => runCommands(root, settings, context);
  await (settings.chroot ? withSystemDirectories(root, context, work) : work());
}

async function runCommands(root: string, settings: Settings, context: ActionContext): Promise<void> {
  if (settings.updateResolvConf) await copyResolvConf(root);
  for (const command of settings.commands) {
    context.progress({ message: command.join(' ') });
    const [program = '', ...rest] = settings.chroot ? ['chroot', root, ...command] : command;
    const environment = { PATH: SEARCH_PATH };
    await mustRun(program, rest, {
      signal: context.signal,
      log: context.log,
      environment,
      directory: settings.chroot ? '/' : root,
    });
  }
}

/**
 * A link would be followed in this system instead of the one on disk, and a pipe has no reader. Both stay
 * unchanged.
 */
async function copyResolvConf(root: string): Promise<void> {
  const target = join(root, 'etc/resolv.conf');
  const info = await lstat(target).catch(() => undefined);
  if (info === undefined || info.isFile()) await copyFile('/etc/resolv.conf', target);
}
