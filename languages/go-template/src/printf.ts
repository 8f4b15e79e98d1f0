import { type FormatFlags, noFlags } from './format-flags.ts';
import { byteLength } from './go-string.ts';
import { formatValue, typeName } from './printer.ts';
import { unwrapInterface } from './value.ts';
import type { CallContext, Value } from './go-model.ts';

/** Widths and precisions beyond this are errors in Go too (fmt's tooLarge). */
const NUMBER_MAX = 1_000_000;

/** Returns what fmt.Sprintf does, `%!` error forms included. */
export function sprintf(format: string, operands: readonly Value[], context: CallContext): string {
  return new Directives(format, operands, context).run();
}

class Directives {
  readonly #format: string;
  readonly #operands: readonly Value[];
  readonly #context: CallContext;
  readonly #out: string[] = [];
  #at = 0;
  #operand = 0;
  #reordered = false;
  #afterIndex = false;
  #goodIndex = true;

  constructor(format: string, operands: readonly Value[], context: CallContext) {
    this.#format = format;
    this.#operands = operands;
    this.#context = context;
  }

  run(): string {
    while (this.#at < this.#format.length) {
      const percent = this.#format.indexOf('%', this.#at);
      const end = percent < 0 ? this.#format.length : percent;
      this.#out.push(this.#format.slice(this.#at, end));
      this.#at = end + 1;
      if (percent >= 0 && !this.#directive()) break;
    }
    if (!this.#reordered && this.#operand < this.#operands.length) this.#extra();
    return this.#out.join('');
  }

  /** Handles one directive after its `%`. Returns false when the format ended inside it. */
  #directive(): boolean {
    this.#goodIndex = true;
    this.#afterIndex = false;
    const flags = this.#flags();
    const next = this.#format[this.#at] ?? '';
    if (/^[a-z]$/.test(next) && this.#operand < this.#operands.length) {
      this.#at += 1;
      this.#print(next, flags);
      return true;
    }
    this.#argumentIndex();
    this.#width(flags);
    this.#precision(flags);
    if (!this.#afterIndex) this.#argumentIndex();
    const codePoint = this.#format.codePointAt(this.#at);
    if (codePoint === undefined) {
      this.#out.push('%!(NOVERB)');
      return false;
    }
    const verb = String.fromCodePoint(codePoint);
    this.#at += verb.length;
    this.#verb(verb, flags);
    return true;
  }

  #verb(verb: string, flags: FormatFlags): void {
    if (verb === '%') this.#out.push('%');
    else if (!this.#goodIndex) this.#out.push(`%!${verb}(BADINDEX)`);
    else if (this.#operand >= this.#operands.length) this.#out.push(`%!${verb}(MISSING)`);
    else this.#print(verb, flags);
  }

  #print(verb: string, flags: FormatFlags): void {
    const operand = this.#operands[this.#operand];
    this.#operand += 1;
    if (operand === undefined) return;
    if (verb === 'v' || verb === 'w') {
      flags.sharpV = flags.sharp;
      flags.plusV = flags.plus;
      flags.sharp = false;
      flags.plus = false;
    }
    this.#context.spend((flags.width ?? 0) + (flags.precision ?? 0));
    this.#out.push(formatValue(operand, this.#context, { verb, flags }));
  }

  #flags(): FormatFlags {
    const flags = noFlags();
    for (; ; this.#at += 1) {
      const character = this.#format[this.#at];
      if (character === '#') flags.sharp = true;
      else if (character === '0') flags.zero = true;
      else if (character === '+') flags.plus = true;
      else if (character === '-') flags.minus = true;
      else if (character === ' ') flags.space = true;
      else return flags;
    }
  }

  #width(flags: FormatFlags): void {
    if (this.#format[this.#at] !== '*') {
      flags.width = this.#number();
      if (this.#afterIndex && flags.width !== undefined) this.#goodIndex = false;
      return;
    }
    this.#at += 1;
    const width = this.#integerOperand();
    if (width === undefined) this.#out.push('%!(BADWIDTH)');
    flags.width = width === undefined ? undefined : Math.abs(width);
    if (width !== undefined && width < 0) {
      flags.minus = true;
      flags.zero = false;
    }
    this.#afterIndex = false;
  }

  #precision(flags: FormatFlags): void {
    if (this.#format[this.#at] !== '.' || this.#at + 1 >= this.#format.length) return;
    this.#at += 1;
    if (this.#afterIndex) this.#goodIndex = false;
    this.#argumentIndex();
    if (this.#format[this.#at] !== '*') {
      flags.precision = this.#number() ?? 0;
      return;
    }
    this.#at += 1;
    const precision = this.#integerOperand();
    flags.precision = precision === undefined || precision < 0 ? undefined : precision;
    if (flags.precision === undefined) this.#out.push('%!(BADPREC)');
    this.#afterIndex = false;
  }

  #number(): number | undefined {
    const digits = /[0-9]+/y;
    digits.lastIndex = this.#at;
    const text = digits.exec(this.#format)?.[0];
    if (text === undefined) return undefined;
    // Go compares before it adds the last digit.
    if (Number(text.slice(0, -1)) > NUMBER_MAX) {
      // Go abandons the number and leaves the position at the end, so the verb is missing.
      this.#at = this.#format.length;
      return undefined;
    }
    this.#at += text.length;
    return Number(text);
  }

  #integerOperand(): number | undefined {
    const operand = this.#operands[this.#operand];
    if (operand === undefined) return undefined;
    this.#operand += 1;
    const value = unwrapInterface(operand);
    if (value.kind !== 'integer') return undefined;
    const number = Number(value.value);
    return Math.abs(number) > NUMBER_MAX ? undefined : number;
  }

  #argumentIndex(): void {
    this.#afterIndex = false;
    if (this.#format[this.#at] !== '[') return;
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at + 1);
    if (close < 0 || this.#format.length - this.#at < 3) {
      this.#at += 1;
      this.#goodIndex = false;
      return;
    }
    const text = this.#format.slice(this.#at + 1, close);
    const index = /^[0-9]+$/.test(text) && Number(text) <= NUMBER_MAX ? Number(text) - 1 : undefined;
    this.#at = close + 1;
    this.#afterIndex = index !== undefined;
    if (index === undefined || index < 0 || index >= this.#operands.length) this.#goodIndex = false;
    else this.#operand = index;
  }

  #extra(): void {
    const shown = this.#operands.slice(this.#operand).map((operand) => {
      const value = unwrapInterface(operand);
      if (value.kind === 'nil') return '<nil>';
      return `${typeName(value)}=${formatValue(value, this.#context)}`;
    });
    this.#out.push(`%!(EXTRA ${shown.join(', ')})`);
    this.#context.spend(byteLength(this.#out.at(-1) ?? ''));
  }
}
