/** Reads flags from a YAML file: `http-port: 7080`. The command line and the environment override it. */
import { nearest } from '@tinkerbell/resources';
import { parseYaml, type Position, type YamlMapEntry } from '@tinkerbell/yaml';
import { SEPARATORS, type Flag } from './flag.ts';
import type { FlagValues } from './parse-flags.ts';

export type ConfigFile =
  | {
      readonly ok: true;
      readonly values: FlagValues;
      /** The position of each value, `tinkerbell.yaml:3:1`, by flag name. */
      readonly sources: ReadonlyMap<string, string>;
    }
  /** One line per problem, each with file, line and column. */
  | { readonly ok: false; readonly message: string };

/** `path` is for messages. */
export function readConfigFile(flags: readonly Flag[], path: string, text: string): ConfigFile {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    const { line, column } = parsed.error.position;
    return { ok: false, message: `${path}:${line}:${column}: ${parsed.error.message}` };
  }
  const [document, ...more] = parsed.documents;
  if (document === undefined) return { ok: true, values: new Map(), sources: new Map() };
  if (document.kind !== 'map' || more.length > 0)
    return { ok: false, message: `${path}:1:1: must be one map of settings, such as "http-port: 7080"` };
  const read = [...document.entries.values()].map((entry) => settingOf(flags, entry));
  const problems = read.flatMap((one) =>
    'problem' in one ? [`${place(path, one.position)}: ${one.problem}`] : [],
  );
  if (problems.length > 0) return { ok: false, message: problems.join('\n') };
  const settings = read.flatMap((one) => ('problem' in one ? [] : [one]));
  return {
    ok: true,
    values: new Map(settings.map(({ name, value }) => [name, value])),
    sources: new Map(settings.map(({ name, position }) => [name, place(path, position)])),
  };
}

type Setting =
  | { readonly name: string; readonly value: string; readonly position: Position }
  | { readonly problem: string; readonly position: Position };

function settingOf(
  flags: readonly Flag[],
  { key: name, keyPosition: position, value }: YamlMapEntry,
): Setting {
  const flag = flags.find((one) => one.name === name);
  if (name === 'config') return { problem: 'config is not allowed in a configuration file', position };
  if (flag === undefined) return { problem: unknownSetting(flags, name), position };
  if (value.kind === 'scalar') return { name, value: value.value === null ? '' : value.text, position };
  const items = value.kind === 'list' ? value.items : [];
  const separator = SEPARATORS[flag.type];
  const texts = items.flatMap((item) =>
    item.kind === 'scalar' && !(separator === ',' && item.text.includes(',')) ? [item.text] : [],
  );
  if (separator !== undefined && value.kind === 'list' && texts.length === items.length)
    return { name, value: texts.join(separator), position };
  const rule =
    separator === undefined
      ? 'one value'
      : `a value or a list of values${separator === ',' ? ' without commas' : ''}`;
  return { problem: `${name} must be ${rule}`, position: value.position };
}

function unknownSetting(flags: readonly Flag[], name: string): string {
  const names = flags.map((one) => one.name);
  const close = nearest(name, names);
  return `unknown setting ${name}; ${close === undefined ? 'tinkerbell --help lists all settings' : `did you mean ${close}?`}`;
}

function place(path: string, { line, column }: Position): string {
  return `${path}:${line}:${column}`;
}
