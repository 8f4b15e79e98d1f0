import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Reads one line from /sys or /proc without its line break; empty if the file is missing or unreadable. */
export function readLine(...path: readonly string[]): string {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return '';
  }
}

/** Returns the sorted names in a directory; empty if it does not exist. */
export function listNames(...path: readonly string[]): readonly string[] {
  try {
    return readdirSync(join(...path)).sort();
  } catch {
    return [];
  }
}

/** Returns the last part of a symbolic link's target; empty if the link does not exist. */
export function linkName(...path: readonly string[]): string {
  try {
    return basename(readlinkSync(join(...path)));
  } catch {
    return '';
  }
}
