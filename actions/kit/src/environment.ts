import { ActionError, type Environment } from './action.ts';

/** Reads an action's environment and remembers everything wrong with it, so that one run shows all. */
export interface EnvironmentReader {
  /** The value; a problem when absent or empty. */
  required(name: string, meaning: string): string;
  optional(name: string): string | undefined;
  /** `true`, `1`, `yes` or their opposites, in any case; `fallback` when absent. */
  flag<Fallback>(name: string, fallback: Fallback): boolean | Fallback;
  /** A whole number in [minimum, maximum]; `fallback` when absent. */
  integer(name: string, range: IntegerRange): number;
  /** Octal permission bits such as `0644`; required. */
  mode(name: string): number;
  /** A required path that begins with `/`. */
  absolutePath(name: string, meaning: string): string;
  /** A required http or https address. */
  httpUrl(name: string, meaning: string): URL;
  /** Records a problem that needs more than one variable to see. */
  problem(text: string): void;
  /** @throws ActionError that lists every problem found. */
  finish(): void;
}

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
  const problems: string[] = [];

  function optional(name: string): string | undefined {
    const value = environment[name];
    return value === undefined || value === '' ? undefined : value;
  }

  function required(name: string, meaning: string): string {
    const value = optional(name);
    if (value === undefined) problems.push(`${name} is missing: set it to ${meaning}`);
    return value ?? '';
  }

  function flag<Fallback>(name: string, fallback: Fallback): boolean | Fallback {
    const value = optional(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (TRUE_WORDS.includes(value)) return true;
    if (!FALSE_WORDS.includes(value)) problems.push(`${name}=${value} is neither true nor false`);
    return false;
  }

  function integer(name: string, range: IntegerRange): number {
    const wanted = `a whole number from ${range.minimum} to ${range.maximum}`;
    const value = range.fallback === undefined ? required(name, wanted) : optional(name);
    if (value === undefined || value === '') return range.fallback ?? range.minimum;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= range.minimum && number <= range.maximum) return number;
    problems.push(`${name}=${value} is not ${wanted}`);
    return range.minimum;
  }

  function mode(name: string): number {
    const value = required(name, 'octal permission bits such as 0644');
    if (/^0?o?[0-7]{1,4}$/.test(value)) return Number.parseInt(value.replace('o', ''), 8);
    if (value !== '') problems.push(`${name}=${value} is not octal permission bits such as 0644`);
    return 0;
  }

  function absolutePath(name: string, meaning: string): string {
    const value = required(name, meaning);
    if (value !== '' && !value.startsWith('/')) {
      problems.push(`${name}=${value} is not an absolute path: let it begin with /`);
    }
    return value;
  }

  function httpUrl(name: string, meaning: string): URL {
    const value = required(name, meaning);
    const url = URL.parse(value);
    if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
    if (value !== '') problems.push(`${name}=${value} is not an http or https address`);
    return new URL(PLACEHOLDER_URL);
  }

  return {
    required,
    optional,
    flag,
    integer,
    mode,
    absolutePath,
    httpUrl,
    problem: (text) => problems.push(text),
    finish() {
      if (problems.length > 0) throw new ActionError(`${actionName}: ${problems.join('; ')}`);
    },
  };
}
