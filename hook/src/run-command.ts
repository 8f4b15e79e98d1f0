import { spawn } from 'node:child_process';

/** The number of bytes of a failed program's output in its error message. */
const ERROR_TAIL_CHARACTERS = 2000;

/** The exit code of setpriv, as of a shell, for a missing program. */
const NOT_FOUND = 127;

/** The Debian package of a program, so that an error can name what to install. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  depmod: 'kmod',
  readelf: 'binutils',
  strip: 'binutils',
  'dpkg-deb': 'dpkg',
  'apt-get': 'apt',
  mmdebstrap: 'mmdebstrap',
  mke2fs: 'e2fsprogs',
  sfdisk: 'fdisk',
  mformat: 'mtools',
  mcopy: 'mtools',
  mmd: 'mtools',
  'grub-mkimage': 'grub-common',
  'qemu-system-x86_64': 'qemu-system-x86',
  ip: 'iproute2',
  setpriv: 'util-linux',
};

export interface CommandOptions {
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Runs a program to its end, without a shell.
 *
 * @returns its standard output.
 * @throws Error with the command line and the end of its output when it fails, or with the package to install
 * when it is missing.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    // The kernel ends the program together with this one in any case, so a stopped build leaves nothing
    // running.
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', command, ...args], {
      ...(options.directory === undefined ? {} : { cwd: options.directory }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      env: { ...process.env, LC_ALL: 'C.UTF-8', ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'ENOENT' ? missingProgram('setpriv', cause) : cause);
    });
    child.on('close', (code, signal) => {
      if (code === 0) {
        resolve(Buffer.concat(output).toString());
        return;
      }
      if (code === NOT_FOUND && errors.join('').startsWith('setpriv: ')) {
        reject(missingProgram(command));
        return;
      }
      const tail = Buffer.concat([...output, ...errors])
        .toString()
        .slice(-ERROR_TAIL_CHARACTERS);
      reject(new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}:\n${tail}`));
    });
  });
}

function missingProgram(command: string, cause?: Error): Error {
  const packageName = PACKAGE_OF[command] ?? command;
  return new Error(`${command} is not installed: run apt-get install ${packageName}`, { cause });
}
