import { readFile } from 'node:fs/promises';
import { codeOf, messageOf } from '@tinkerbell/platform-contract';
import { TinkFailure } from '../failure.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** The failure of a command that cannot read a file: its path, and why in words. */
export function unreadable(path: string, error: unknown): TinkFailure {
  return new TinkFailure(`cannot read ${path}: ${readingProblem(error)}`);
}

/** @throws TinkFailure that names the file, and says in words why it cannot be read. */
export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

/** Why a file cannot be read, in words. */
export function readingProblem(error: unknown): string {
  return reasons[codeOf(error) ?? ''] ?? messageOf(error);
}
