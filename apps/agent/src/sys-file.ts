import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** One line from /sys or /proc without its end; empty when the file is absent or may not be read. */
export function readLine(...path: readonly string[]): string {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return '';
  }
}

/** Names in a directory, sorted; none when it is absent. */
export function listNames(...path: readonly string[]): readonly string[] {
  try {
    return readdirSync(join(...path)).sort();
  } catch {
    return [];
  }
}

/** Last part of what a symbolic link points to; empty when there is no link. */
export function linkName(...path: readonly string[]): string {
  try {
    return basename(readlinkSync(join(...path)));
  } catch {
    return '';
  }
}
