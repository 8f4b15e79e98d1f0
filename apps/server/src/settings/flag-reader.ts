/** Parses raw flags to typed values. An invalid value is a SettingsError that names the flag and the value. */
import type { Flag } from './flag.ts';
import type { FlagName } from './flags/index.ts';
import type { FlagValues } from './parse-flags.ts';
import { SettingsError } from './settings-error.ts';

const durationUnitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export class FlagReader {
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #values: FlagValues;
  readonly #sources: ReadonlyMap<string, string>;

  /** `sources`: positions of values in the configuration file, by flag name. */
  constructor(flags: readonly Flag[], values: FlagValues, sources: ReadonlyMap<string, string> = new Map()) {
    this.#flags = new Map(flags.map((flag) => [flag.name, flag]));
    this.#values = values;
    this.#sources = sources;
  }

  /** Returns the given value, else the default. */
  text(name: FlagName): string {
    const flag = this.#flags.get(name);
    if (flag === undefined) throw new Error(`no flag --${name} is declared`);
    return this.#values.get(name) ?? flag.default;
  }

  boolean(name: FlagName<'boolean'>): boolean {
    const text = this.text(name).toLowerCase();
    if (['true', '1', 't'].includes(text)) return true;
    if (['false', '0', 'f'].includes(text)) return false;
    throw this.#wrong(name, 'must be true or false');
  }

  /** Parses a whole number within [min, max]. */
  number(name: FlagName<'number'>, [min, max]: readonly [number, number]): number {
    const text = this.text(name);
    const value = Number(text);
    if (!/^-?\d{1,15}$/.test(text) || value < min || value > max)
      throw this.#wrong(name, `must be a whole number from ${min} to ${max}`);
    return value;
  }

  port(name: FlagName<'number'>): number {
    return this.number(name, [0, 65_535]);
  }

  list(name: FlagName<'list'>): readonly string[] {
    return this.text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  /** Parses a flag of type `arguments`. */
  arguments(name: FlagName<'arguments'>): readonly string[] {
    return this.text(name)
      .split(/\s+/)
      .filter((item) => item !== '');
  }

  oneOf<const Value extends string>(name: FlagName, values: readonly Value[]): Value {
    const found = values.find((value) => value === this.text(name));
    if (found === undefined) throw this.#wrong(name, `must be ${values.join(' or ')}`);
    return found;
  }

  /** Parses `500ms`, `10s`, `2m`, `1h` to milliseconds. */
  durationMs(name: FlagName<'duration'>): number {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(this.text(name));
    if (match === null) throw this.#wrong(name, 'must be a duration such as 500ms, 10s or 2m');
    return Number(match[1]) * (durationUnitsMs[match[2] ?? ''] ?? 0);
  }

  /** Parses the value with `parse`, which returns undefined for an invalid value. */
  parsed<Value>(name: FlagName, parse: (text: string) => Value | undefined, rule: string): Value {
    const value = parse(this.text(name));
    if (value === undefined) throw this.#wrong(name, rule);
    return value;
  }

  #wrong(name: FlagName, rule: string): SettingsError {
    const source = this.#sources.get(name);
    const subject = source === undefined ? `--${name}` : `${source}: ${name}`;
    return new SettingsError(`${subject} ${rule}, not ${JSON.stringify(this.text(name))}`);
  }
}
