import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { CannotRun, type BenchContext } from './benchmark.ts';
import { mustRun } from './running-program.ts';

/**
 * Returns the path of a program from a Debian package that cannot be installed beside another one that is
 * needed here. It is fetched and unpacked once, and never installed. `path` is the program's path in the
 * package.
 *
 * @throws CannotRun that names the package.
 */
export async function unpackedProgram(
  context: BenchContext,
  debianPackage: string,
  path: string,
): Promise<string> {
  const directory = join(context.cacheDirectory, debianPackage);
  const program = join(directory, path);
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  try {
    const fetch = 'cd "$1" && apt-get -qq download "$2"';
    await mustRun(context, { command: ['sh', '-c', fetch, 'sh', directory, debianPackage] });
    const [file] = readdirSync(directory).filter((name) => name.endsWith('.deb'));
    await mustRun(context, { command: ['dpkg-deb', '-x', join(directory, file ?? ''), directory] });
  } catch (error) {
    throw new CannotRun(`${debianPackage} cannot be fetched from a Debian mirror: ${String(error)}`);
  }
  return program;
}
