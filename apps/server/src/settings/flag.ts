/**
 * Flags as data. One row of a table in `flags/` declares a flag. Parsing, `--help`, docs/reference/server.md and `config check` are
 * derived from it. The environment variable is `TINKERBELL_` plus the name in upper case with underscores, as in upstream. The key in
 * the file of `--config` is the name.
 */

/** `arguments` are separated by spaces, so that one may contain a comma: `console=ttyS0,115200`. */
export type FlagType = 'text' | 'number' | 'boolean' | 'list' | 'arguments' | 'duration';

export interface Flag<Name extends string = string, Type extends FlagType = FlagType> {
  readonly name: Name;
  readonly type: Type;
  /** Heading in the help and in the reference. */
  readonly group: string;
  /** The default value. */
  readonly default: string;
  /** Description of an empty default: `--public-ipv4`. */
  readonly fallback: string;
  /** Help text without the default. */
  readonly help: string;
}

type Row<Type extends FlagType = FlagType> = Omit<Flag<string, Type>, 'name' | 'group'>;
type Defaults = Partial<Pick<Flag, 'default' | 'fallback'>>;

function rowOf<const Type extends FlagType>(type: Type) {
  return (help: string, { default: value = '', fallback = '' }: Defaults = {}): Row<Type> => ({
    type,
    default: value,
    fallback,
    help,
  });
}

export const text = rowOf('text');
export const number = rowOf('number');
export const boolean = rowOf('boolean');
export const list = rowOf('list');
export const kernelArguments = rowOf('arguments');
export const duration = rowOf('duration');

type FlagsOf<Rows extends Readonly<Record<string, Row>>> = readonly {
  [Name in keyof Rows & string]: Flag<Name, Rows[Name]['type']>;
}[keyof Rows & string][];

export function flagGroup<const Rows extends Readonly<Record<string, Row>>>(
  group: string,
  rows: Rows,
): FlagsOf<Rows> {
  return Object.entries(rows).map(([name, row]) => ({ ...row, name, group }));
}

/** Separator between the values of a repeated flag. */
export const SEPARATORS: Readonly<Partial<Record<FlagType, string>>> = { list: ',', arguments: ' ' };

export function environmentNameOf(flag: string): string {
  return `TINKERBELL_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** Returns `7080`, `--public-ipv4`, or an empty string. */
export function defaultOf({ default: value, fallback }: Flag): string {
  return value === '' ? fallback : value;
}
