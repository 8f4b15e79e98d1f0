/** What every artefact is built from. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Architecture } from '@tinkerbell/hook';

export const CHECKOUT = join(import.meta.dirname, '../..');

export interface BuildPlace {
  readonly architecture: Architecture;
  readonly version: string;
  readonly maintainer: string;
  /** The time of every file, in seconds since the epoch. */
  readonly modifiedSeconds: number;
  /** Smallest files instead of the fastest build. */
  readonly release: boolean;
  readonly outputDirectory: string;
  readonly cacheDirectory: string;
  readonly onProgress: (line: string) => void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns SOURCE_DATE_EPOCH, or the time of the last commit: the same sources give the same bytes.
 *
 * @throws Error when neither exists.
 */
export function modifiedSecondsOf(environment: Environment): number {
  const given = environment['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return secondsIn(given);
  try {
    const options = { cwd: CHECKOUT, encoding: 'utf8', stdio: 'pipe' } as const;
    return secondsIn(execFileSync('git', ['log', '-1', '--format=%ct'], options).trim());
  } catch (cause) {
    throw new Error('the time of the files is unknown: build in a git checkout, or set SOURCE_DATE_EPOCH', {
      cause,
    });
  }
}

function secondsIn(text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new Error(`SOURCE_DATE_EPOCH must be seconds since 1970, not ${JSON.stringify(text)}`);
}

/** Returns the maintainer in Debian's variables DEBFULLNAME and DEBEMAIL, or one who gets no mail. */
export function maintainerOf({ DEBFULLNAME: name, DEBEMAIL: address }: Environment): string {
  return `${name ?? 'Tinkerbell maintainers'} <${address ?? 'maintainers@tinkerbell.invalid'}>`;
}
