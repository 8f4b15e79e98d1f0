/**
 * Provides Node's executable for the in-memory OS: the one that runs this build, or the same version for
 * another processor.
 */
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { OWN_ARCHITECTURE, type Architecture } from './architecture.ts';
import type { CpioEntry } from './cpio.ts';
import { blankLocales } from './foreign-locales.ts';
import { runCommand } from './run-command.ts';

/** Returns the path of the executable. One for another processor is downloaded once. */
export async function nodeProgram(architecture: Architecture, cacheDirectory: string): Promise<string> {
  if (architecture === OWN_ARCHITECTURE) return process.execPath;
  const version = process.version.slice(1);
  const parent = join(cacheDirectory, 'node');
  const target = join(parent, `${architecture.nodePackage}-${version}`);
  const isThere = await access(target).then(
    () => true,
    () => false,
  );
  if (isThere) return target;
  await mkdir(parent, { recursive: true });
  const work = await mkdtemp(join(parent, 'partial-'));
  const packed = await runCommand('npm', ['pack', '--silent', `${architecture.nodePackage}@${version}`], {
    directory: work,
  });
  await runCommand('tar', ['-xzf', packed.trim(), 'package/bin/node'], { directory: work });
  await rename(join(work, 'package/bin/node'), target);
  await rm(work, { recursive: true });
  return target;
}

/**
 * Removes its languages other than English, and its symbols, which makes it a third smaller. Debian's `strip` knows this machine's processor only.
 */
export async function nodeEntry(
  program: string,
  { architecture, workDirectory }: { readonly architecture: Architecture; readonly workDirectory: string },
): Promise<CpioEntry> {
  const copy = join(workDirectory, 'node');
  const whole = await readFile(program);
  blankLocales(whole);
  await writeFile(copy, whole);
  if (architecture === OWN_ARCHITECTURE) await runCommand('strip', [copy]);
  return { kind: 'file', path: 'usr/bin/node', mode: 0o755, content: await readFile(copy) };
}

/** Identifies what `nodeEntry` makes of the executable. */
export async function nodeFingerprint(program: string): Promise<string> {
  return createHash('sha256')
    .update('in English, ')
    .update(await readFile(program))
    .digest('hex');
}
