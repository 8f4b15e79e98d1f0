import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { mustRun, needProgram } from './running-program.ts';

/**
 * Returns the path of a load generator that must be faster than what it measures, or with `-shared` of a library for one. It is written in
 * C, and compiled once for each version of its source and flags.
 *
 * @throws CannotRun that names the Debian package of the compiler.
 */
export async function compiledProgram(
  context: BenchContext,
  source: string,
  flags: readonly string[] = [],
): Promise<string> {
  const version = createHash('sha256')
    .update(readFileSync(source))
    .update(flags.join(' '))
    .digest('hex')
    .slice(0, 12);
  const program = join(context.cacheDirectory, `${basename(source, '.c')}-${version}`);
  if (existsSync(program)) return program;
  const compiler = needProgram('gcc', 'gcc libc6-dev');
  await mustRun(context, {
    command: [compiler, '-O2', '-Wall', '-Wextra', '-Werror', ...flags, '-o', program, source],
  });
  return program;
}
