import { BoundedCache } from '@tinkerbell/wire';
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Larger expressions are matched without a table of states, which would take 15 ms to create. */
const TABLE_INSTRUCTIONS_MAX = 200;
/** For all compiled expressions together. The served definitions need less than 1 MB. */
const COMPILED_BYTES_MAX = 16 * 1024 * 1024;
/** Measured on expressions of 10 to 5,000 instructions. */
const BYTES_PER_INSTRUCTION = 250;
const BYTES_PER_EXPRESSION = 4096;

const compiled = new BoundedCache<RE2JS>(COMPILED_BYTES_MAX);

export type LinearResult =
  | { readonly ok: true; readonly regexp: LinearRegexp }
  | { readonly ok: false; readonly fault: string };

/** `dotAll`: a dot matches a line break too. */
export function compileLinear(source: string, options: { readonly dotAll?: boolean } = {}): LinearResult {
  const flags = options.dotAll === true ? RE2JS.DOTALL : 0;
  try {
    return { ok: true, regexp: new LinearRegexp(source, flags) };
  } catch (thrown) {
    if (!(thrown instanceof RE2JSSyntaxException)) throw thrown;
    return { ok: false, fault: thrown.message };
  }
}

/** Holds the source only. */
export class LinearRegexp {
  /** The work of a match is at most this times the characters of the text. */
  readonly instructions: number;
  readonly #source: string;
  readonly #flags: number;
  readonly #key: string;

  constructor(source: string, flags: number) {
    this.#source = source;
    this.#flags = flags;
    this.#key = `${flags} ${source}`;
    this.instructions = this.#compiled().programSize();
  }

  /** Returns true if a part of the text matches. */
  isWithin(text: string): boolean {
    return this.#use((re) => (this.#hasTable ? re.test(text) : re.matcher(text).find()));
  }

  /** Returns true if the whole text matches. */
  isWhole(text: string): boolean {
    return this.#use((re) => (this.#hasTable ? re.testExact(text) : re.matcher(text).matches()));
  }

  get #hasTable(): boolean {
    return this.instructions <= TABLE_INSTRUCTIONS_MAX;
  }

  #use(match: (re: RE2JS) => boolean): boolean {
    const re = this.#compiled();
    const before = tableBytes(re);
    const matches = match(re);
    if (tableBytes(re) !== before) this.#keep(re);
    return matches;
  }

  #compiled(): RE2JS {
    const known = compiled.get(this.#key);
    if (known !== undefined) return known;
    const re = RE2JS.compile(this.#source, this.#flags);
    this.#keep(re);
    return re;
  }

  #keep(re: RE2JS): void {
    const bytes = BYTES_PER_EXPRESSION + re.programSize() * BYTES_PER_INSTRUCTION + tableBytes(re);
    compiled.set(this.#key, re, bytes);
  }
}

/** What the table of states takes by the package's own account, which it does not publish. A test notices when this changes. */
function tableBytes(re: RE2JS): number {
  const table = fieldOf(fieldOf(re, 're2Input'), 'lazyDFA');
  const [all, left] = [fieldOf(table, 'stateBudget'), fieldOf(table, 'memBudget')];
  return typeof all === 'number' && typeof left === 'number' ? all - left : 0;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
