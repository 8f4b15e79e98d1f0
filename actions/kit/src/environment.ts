import { SettingsError } from './action-error.ts';
import type { Environment } from './action.ts';

export interface IntegerRange {
  readonly minimum: number;
  readonly maximum: number;
  /** Required when there is no fallback. */
  readonly fallback?: number;
}

const TRUE_WORDS = ['true', '1', 'yes', 'on', 't'];
const FALSE_WORDS = ['false', '0', 'no', 'off', 'f'];
const PLACEHOLDER_URL = 'http://invalid.invalid/';

export function readEnvironment(actionName: string, environment: Environment): EnvironmentReader {
  return new EnvironmentReader(actionName, environment);
}

/** Reads an action's environment and collects all problems, so that one run shows all. */
export class EnvironmentReader {
  readonly #actionName: string;
  readonly #environment: Environment;
  readonly #problems: string[] = [];

  constructor(actionName: string, environment: Environment) {
    this.#actionName = actionName;
    this.#environment = environment;
  }

  optional(name: string): string | undefined {
    const value = this.#environment[name];
    return value === undefined || value === '' ? undefined : value;
  }

  /** Returns the value. An absent or empty one is a problem. */
  required(name: string, meaning: string): string {
    const value = this.optional(name);
    if (value === undefined) this.problem(`${name} is missing: set it to ${meaning}`);
    return value ?? '';
  }

  /** Reads `true`, `1`, `yes` or their opposites, in any case. Returns `fallback` when absent. */
  flag<Fallback>(name: string, fallback: Fallback): boolean | Fallback {
    const value = this.optional(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (TRUE_WORDS.includes(value)) return true;
    if (!FALSE_WORDS.includes(value)) this.problem(`${name}=${value} must be true or false`);
    return false;
  }

  /** Reads a whole number in [minimum, maximum]. Returns `fallback` when absent. */
  integer(name: string, range: IntegerRange): number {
    const wanted = `a whole number from ${range.minimum} to ${range.maximum}`;
    const value = range.fallback === undefined ? this.required(name, wanted) : this.optional(name);
    if (value === undefined || value === '') return range.fallback ?? range.minimum;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= range.minimum && number <= range.maximum) return number;
    this.problem(`${name}=${value} is not ${wanted}`);
    return range.minimum;
  }

  /** Reads required octal permission bits such as `0644`. */
  mode(name: string): number {
    const value = this.required(name, 'octal permission bits such as 0644');
    if (/^0?o?[0-7]{1,4}$/.test(value)) return Number.parseInt(value.replace('o', ''), 8);
    if (value !== '') this.problem(`${name}=${value} is not octal permission bits such as 0644`);
    return 0;
  }

  /** Reads a required path that begins with `/`. */
  absolutePath(name: string, meaning: string): string {
    const value = this.required(name, meaning);
    if (value !== '' && !value.startsWith('/')) {
      this.problem(`${name}=${value} must be an absolute path that begins with /`);
    }
    return value;
  }

  /** Reads a required http or https address. */
  httpUrl(name: string, meaning: string): URL {
    const value = this.required(name, meaning);
    const url = URL.parse(value);
    if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
    if (value !== '') this.problem(`${name}=${value} must be an http or https address`);
    return new URL(PLACEHOLDER_URL);
  }

  /** Records a problem that concerns more than one variable. */
  problem(text: string): void {
    this.#problems.push(text);
  }

  /** @throws SettingsError that lists every problem found. */
  finish(): void {
    if (this.#problems.length > 0)
      throw new SettingsError(`${this.#actionName}: ${this.#problems.join('; ')}`);
  }
}
