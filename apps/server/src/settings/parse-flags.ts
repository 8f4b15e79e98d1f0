/** Parses the command line and the environment to raw flag values. */
import { nearest } from '@tinkerbell/resources';
import { environmentNameOf, SEPARATORS, type Flag } from './flag.ts';

/** Raw text by flag name; only given flags. Repeated values are joined by the type's separator. */
export type FlagValues = ReadonlyMap<string, string>;

export type ParsedFlags =
  | { readonly ok: true; readonly values: FlagValues }
  | { readonly ok: false; readonly message: string };

/** Accepts `--name value`, `--name=value`, `--boolean`, `--boolean=false`, and a single dash like Go programs. */
export function parseFlags(
  flags: readonly Flag[],
  commandLine: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedFlags {
  const given = new Map<string, string>();
  for (let index = 0; index < commandLine.length; index++) {
    const argument = commandLine[index] ?? '';
    const match = /^--?([a-z0-9][a-z0-9-]*)(?:=(.*))?$/s.exec(argument);
    const flag = flags.find((one) => one.name === match?.[1]);
    if (match === null || flag === undefined)
      return { ok: false, message: unknown(flags, argument, match?.[1]) };
    const value = match[2] ?? (flag.type === 'boolean' ? 'true' : commandLine[++index]);
    if (value === undefined) return { ok: false, message: `--${flag.name} needs a value` };
    const separator = SEPARATORS[flag.type];
    const before = separator === undefined ? undefined : given.get(flag.name);
    given.set(flag.name, before === undefined ? value : `${before}${separator}${value}`);
  }
  return { ok: true, values: new Map([...fromEnvironment(flags, environment), ...given]) };
}

function fromEnvironment(
  flags: readonly Flag[],
  environment: Readonly<Record<string, string | undefined>>,
): FlagValues {
  const pairs = flags.map((flag): [string, string] => [
    flag.name,
    environment[environmentNameOf(flag.name)] ?? '',
  ]);
  return new Map(pairs.filter(([, value]) => value !== ''));
}

function unknown(flags: readonly Flag[], argument: string, name: string | undefined): string {
  if (name === undefined) return `unexpected argument ${JSON.stringify(argument)}; see --help`;
  const close = nearest(
    name,
    flags.map((flag) => flag.name),
  );
  return `unknown flag --${name}; ${close === undefined ? 'see --help' : `did you mean --${close}?`}`;
}
