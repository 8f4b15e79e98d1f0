import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { ActionError } from './action-error.ts';
import { runProgram, type ProgramOptions } from './run-program.ts';

/** Reports about disks are smaller. */
const TEXT_BYTES_MAX = 1024 * 1024;
const COMPLAINT_CHARACTERS = 1000;

/**
 * Returns the whole standard output of a program.
 *
 * @throws ActionError when it fails, or prints more than 1 MiB.
 */
export async function programText(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const onStdout = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= TEXT_BYTES_MAX) chunks.push(chunk);
  };
  const { code, output } = await runProgram(command, args, { ...options, onStdout });
  const shown = [command, ...args].join(' ');
  if (code !== 0)
    throw new ActionError(
      `${shown} ended with ${code}: ${output.trim().slice(-COMPLAINT_CHARACTERS) || 'no output'}`,
    );
  if (length > TEXT_BYTES_MAX) throw new ActionError(`${shown} printed more than ${TEXT_BYTES_MAX} bytes`);
  return Buffer.concat(chunks).toString();
}

/** @throws ActionError that names the Debian package when a program is not installed. */
export async function assertInstalled(program: string, debianPackage: string): Promise<void> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const isThere = await access(join(directory, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new ActionError(
    `this system has no program ${program}: install the Debian package ${debianPackage} in it`,
  );
}
