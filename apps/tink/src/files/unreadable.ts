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

/** Why a file cannot be read, in words. */
export function readingProblem(error: unknown): string {
  return reasons[codeOf(error) ?? ''] ?? messageOf(error);
}
