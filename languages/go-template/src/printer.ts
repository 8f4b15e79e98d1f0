import { type FormatFlags, noFlags, pad } from './format-flags.ts';
import { formatBool, formatFloat, formatInteger, formatString } from './format-scalar.ts';
import { compareStrings } from './go-string.ts';
import { integerShape, typeText } from './go-type.ts';
import { VALUE_DEPTH_MAX } from './limits.ts';
import { LimitExceeded } from './meter.ts';
import { heldAs, typeOf, unwrapInterface } from './value.ts';
import type { CallContext, MapValue, PointerValue, SliceValue, StructValue, Value } from './go-model.ts';

/** Functions throw this error to fail like a Go function that returns an error. */
export class FunctionError extends Error {}

/** Go prints addresses, on which nobody can depend, so every pointer, map and function has this one. */
const ADDRESS = 0xc000010000n;

/** A verb of fmt with its flags. It is `%v` unless defined otherwise. */
export interface Format {
  readonly verb?: string;
  readonly flags?: FormatFlags;
}

/** Writes one operand under one verb (fmt's pp.printArg and pp.printValue). */
export function formatValue(
  operand: Value,
  context: CallContext,
  { verb = 'v', flags = noFlags() }: Format = {},
): string {
  const value = unwrapInterface(operand);
  if (value.kind === 'nil') return verb === 'T' || verb === 'v' ? pad('<nil>', flags) : `%!${verb}(<nil>)`;
  if (verb === 'T') return pad(typeName(value), flags);
  const printer = new Printer(flags, context);
  if (verb === 'p') return addressOf(value, verb, flags) ?? printer.badVerb(value, verb);
  return printer.print(value, verb, 0);
}

/** Returns operands as fmt.Sprint does: spaces between two when neither is a string. */
export function sprint(operands: readonly Value[], context: CallContext): string {
  const parts: string[] = [];
  let previousIsString = false;
  operands.forEach((operand, i) => {
    const isString = unwrapInterface(operand).kind === 'string';
    if (i > 0 && !isString && !previousIsString) parts.push(' ');
    parts.push(formatValue(operand, context));
    previousIsString = isString;
  });
  return parts.join('');
}

/** Returns operands as fmt.Sprintln does. */
export function sprintln(operands: readonly Value[], context: CallContext): string {
  return `${operands.map((operand) => formatValue(operand, context)).join(' ')}\n`;
}

/** Returns the name of the dynamic type, `<nil>` for none. */
export function typeName(value: Value): string {
  const type = typeOf(value);
  return type === undefined ? '<nil>' : typeText(type);
}

/** Returns map entries in the order Go prints and ranges them. */
export function sortedEntries(map: MapValue): [string, Value][] {
  return [...(map.entries ?? [])].sort(([left], [right]) => compareStrings(left, right));
}

class Printer {
  readonly #flags: FormatFlags;
  readonly #context: CallContext;

  constructor(flags: FormatFlags, context: CallContext) {
    this.#flags = flags;
    this.#context = context;
  }

  print(value: Value, verb: string, depth: number): string {
    if (depth > VALUE_DEPTH_MAX)
      throw new LimitExceeded(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
    const text =
      this.#method(value, verb) ?? this.#scalar(value, verb) ?? this.#composite(value, verb, depth);
    this.#context.spend(1 + text.length);
    return text;
  }

  badVerb(value: Value, verb: string): string {
    return `%!${verb}(${typeName(value)}=${this.print(value, 'v', 0)})`;
  }

  /** The result of the value's own String method, for verbs that print strings. */
  #method(value: Value, verb: string): string | undefined {
    if (this.#flags.sharpV || !['v', 's', 'q', 'x', 'X'].includes(verb)) return undefined;
    const struct = value.kind === 'pointer' ? value.target : value;
    if (struct?.kind !== 'struct' || struct.type.text === undefined) return undefined;
    return formatString(struct.type.text(struct), verb, this.#flags);
  }

  #scalar(value: Value, verb: string): string | undefined {
    switch (value.kind) {
      case 'bool':
        return formatBool(value.value, verb, this.#flags) ?? this.badVerb(value, verb);
      case 'integer': {
        const signed = integerShape(value.type.kind)?.signed ?? true;
        const text = formatInteger({ value: value.value, signed }, verb, this.#flags);
        return text ?? this.badVerb(value, verb);
      }
      case 'float64':
        return formatFloat(value.value, verb, this.#flags) ?? this.badVerb(value, verb);
      case 'string':
        return formatString(value.value, verb, this.#flags) ?? this.badVerb(value, verb);
      default:
        return undefined;
    }
  }

  #composite(value: Value, verb: string, depth: number): string {
    switch (value.kind) {
      case 'interface':
        return this.#interface(value.value, verb, depth);
      case 'slice':
        return this.#slice(value, verb, depth);
      case 'map':
        return this.#map(value, verb, depth);
      case 'struct':
        return this.#struct(value, verb, depth);
      case 'pointer':
        return this.#pointer(value, verb, depth);
      case 'func':
        return addressOf(value, verb, this.#flags) ?? this.badVerb(value, verb);
      default:
        return verb === 'v' ? '<nil>' : `%!${verb}(<nil>)`;
    }
  }

  #pointer(value: PointerValue, verb: string, depth: number): string {
    const { target } = value;
    if (depth === 0 && target !== null && ['slice', 'struct', 'map'].includes(target.kind)) {
      return `&${this.print(target, verb, depth + 1)}`;
    }
    return addressOf(value, verb, this.#flags) ?? this.badVerb(value, verb);
  }

  #interface(inner: Value, verb: string, depth: number): string {
    if (inner.kind !== 'nil') return this.print(inner, verb, depth + 1);
    return this.#flags.sharpV ? 'interface {}(nil)' : '<nil>';
  }

  #slice(value: SliceValue, verb: string, depth: number): string {
    const items = value.items ?? [];
    const parts = items.map((item) => this.print(heldAs(value.type.element, item), verb, depth + 1));
    if (!this.#flags.sharpV) return `[${parts.join(' ')}]`;
    const type = typeText(value.type);
    return value.items === null ? `${type}(nil)` : `${type}{${parts.join(', ')}}`;
  }

  #map(value: MapValue, verb: string, depth: number): string {
    const parts = sortedEntries(value).map(([key, element]) => {
      const name = this.print({ kind: 'string', value: key }, verb, depth + 1);
      return `${name}:${this.print(heldAs(value.type.element, element), verb, depth + 1)}`;
    });
    if (!this.#flags.sharpV) return `map[${parts.join(' ')}]`;
    const type = typeText(value.type);
    return value.entries === null ? `${type}(nil)` : `${type}{${parts.join(', ')}}`;
  }

  #struct(value: StructValue, verb: string, depth: number): string {
    const named = this.#flags.plusV || this.#flags.sharpV;
    const parts = value.type.fields.map((field) => {
      const held = heldAs(field.type, value.fields.get(field.name) ?? { kind: 'nil' });
      return `${named ? `${field.name}:` : ''}${this.print(held, verb, depth + 1)}`;
    });
    return this.#flags.sharpV ? `${value.type.name}{${parts.join(', ')}}` : `{${parts.join(' ')}}`;
  }
}

function addressOf(value: Value, verb: string, flags: FormatFlags): string | undefined {
  const address = pointerAddress(value);
  if (address === undefined) return undefined;
  const unsigned = { value: address, signed: false };
  if (verb === 'v' && flags.sharpV) return goSyntaxPointer(value, address, flags);
  if (verb === 'v' && address === 0n) return pad('<nil>', flags);
  if (verb === 'v' || verb === 'p') return formatInteger(unsigned, 'x', { ...flags, sharp: !flags.sharp });
  return ['b', 'o', 'd', 'x', 'X'].includes(verb) ? formatInteger(unsigned, verb, flags) : undefined;
}

function goSyntaxPointer(value: Value, address: bigint, flags: FormatFlags): string {
  const hex = formatInteger({ value: address, signed: false }, 'x', { ...flags, sharp: true }) ?? '';
  return `(${typeName(value)})(${address === 0n ? 'nil' : hex})`;
}

function pointerAddress(value: Value): bigint | undefined {
  switch (value.kind) {
    case 'pointer':
      return value.target === null ? 0n : ADDRESS;
    case 'map':
      return value.entries === null ? 0n : ADDRESS;
    case 'slice':
      return value.items === null ? 0n : ADDRESS;
    case 'func':
      return ADDRESS;
    default:
      return undefined;
  }
}
