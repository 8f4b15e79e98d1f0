/** Merges flags from all sources: the command line overrides the environment, which overrides the file of `--config`. */
import { readFileSync } from 'node:fs';
import { messageOf } from '@tinkerbell/platform-contract';
import { readConfigFile } from './config-file.ts';
import { environmentNameOf } from './flag.ts';
import { parseFlags } from './parse-flags.ts';
import { FlagReader } from './flag-reader.ts';
import { SettingsError } from './settings-error.ts';
import { flags } from './flags/index.ts';
import { translated } from './upstream-flags.ts';

export interface GivenFlags {
  readonly reader: FlagReader;
  /** Log notes about given flags that have no effect. */
  readonly notes: readonly string[];
  /** The given flags by name, with their values and sources. */
  readonly given: readonly { readonly name: string; readonly value: string; readonly source: string }[];
}

/** @throws SettingsError */
export function givenFlags(
  commandLine: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): GivenFlags {
  const direct = parseFlags(flags, commandLine, environment);
  if (!direct.ok) throw new SettingsError(direct.message);
  const path = direct.values.get('config');
  const file = path === undefined ? undefined : readConfigFile(flags, path, textOf(path));
  if (file?.ok === false) throw new SettingsError(file.message);
  const values = new Map([...(file?.values ?? []), ...direct.values]);
  const { values: own, notes } = translated(values);
  const fromFile = new Map([...(file?.sources ?? [])].filter(([name]) => !direct.values.has(name)));
  const onLine = parseFlags(flags, commandLine, {});
  const sourceOf = (name: string): string => {
    if (onLine.ok && onLine.values.has(name)) return 'command line';
    return fromFile.get(name) ?? environmentNameOf(name);
  };
  const given = [...values].map(([name, value]) => ({ name, value, source: sourceOf(name) }));
  return { reader: new FlagReader(flags, own, fromFile), notes, given };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingsError(`--config: cannot read ${path}: ${messageOf(error)}`);
  }
}
