import {
  type CallContext,
  heldFields,
  isTrue,
  LimitExceeded,
  normalizeBytes,
  sortedEntries,
  unwrapInterface,
  VALUE_DEPTH_MAX,
  VALUE_NODE_SIZE,
  type Value,
} from '@tinkerbell/go-template';

/** Thrown for a value that has no JSON form: a function, NaN or infinity. */
export class NotJsonError extends Error {}

export interface JsonStyle {
  /** Writes `<`, `>` and `&` as escapes, as json.Marshal does. */
  readonly escapeHtml: boolean;
  /** Indents with two spaces per level, or writes everything on one line. */
  readonly pretty: boolean;
}

/** Returns JSON as Go's encoding/json writes it: sorted map keys, struct fields by tag. Throws NotJsonError. */
export function encodeJson(value: Value, style: JsonStyle, context: CallContext): string {
  return new Encoder(style, context).encode(value, 0);
}

class Encoder {
  readonly #style: JsonStyle;
  readonly #context: CallContext;

  constructor(style: JsonStyle, context: CallContext) {
    this.#style = style;
    this.#context = context;
  }

  encode(held: Value, depth: number): string {
    if (depth > VALUE_DEPTH_MAX)
      throw new LimitExceeded(`value nested deeper than ${VALUE_DEPTH_MAX} levels`);
    this.#context.spend(VALUE_NODE_SIZE);
    const value = unwrapInterface(held);
    switch (value.kind) {
      case 'slice':
        return this.#block(
          '[',
          value.items?.map((item) => this.encode(item, depth + 1)),
          depth,
        );
      case 'map':
        return this.#block(
          '{',
          value.entries === null ? undefined : this.#members(sortedEntries(value), depth),
          depth,
        );
      case 'struct':
        if (value.type.jsonText !== undefined) return this.#string(value.type.jsonText(value));
        return this.#block('{', this.#members(jsonFields(value), depth), depth);
      case 'pointer':
        return value.target === null ? 'null' : this.encode(value.target, depth + 1);
      default:
        return this.#scalar(value);
    }
  }

  #scalar(value: Exclude<Value, { kind: 'slice' | 'map' | 'struct' | 'pointer' }>): string {
    switch (value.kind) {
      case 'nil':
        return 'null';
      case 'bool':
      case 'integer':
        return String(value.value);
      case 'float64':
        return numberText(value.value);
      case 'string':
        return this.#string(value.value);
      default:
        throw new NotJsonError(`json: unsupported type: ${value.kind}`);
    }
  }

  #members(members: readonly (readonly [string, Value])[], depth: number): string[] {
    const colon = this.#style.pretty ? ': ' : ':';
    return members.map(([name, member]) => `${this.#string(name)}${colon}${this.encode(member, depth + 1)}`);
  }

  #block(open: '[' | '{', parts: readonly string[] | undefined, depth: number): string {
    if (parts === undefined) return 'null';
    const close = open === '[' ? ']' : '}';
    const text = this.#style.pretty && parts.length > 0 ? pretty(parts, depth) : parts.join(',');
    this.#context.spend(text.length + 2);
    return open + text + close;
  }

  #string(value: string): string {
    // A byte that is not UTF-8 is written as an escape.
    const parts = normalizeBytes(value).split(/\p{Surrogate}/u);
    const text = `"${parts.map((part) => JSON.stringify(part).slice(1, -1)).join('\\ufffd')}"`
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029');
    if (!this.#style.escapeHtml) return text;
    return text.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
  }
}

/** Returns the JSON names and values of a struct, without those omitted because they are empty. */
export function jsonFields(value: Extract<Value, { kind: 'struct' }>): [string, Value][] {
  return heldFields(value)
    .filter(({ field }) => field.unexported !== true)
    .filter(
      ({ field, value: member }) => field.omitEmpty !== true || member.kind === 'struct' || isTrue(member),
    )
    .map(({ field, value: member }) => [field.jsonName ?? field.name, member]);
}

/** JavaScript and Go switch to exponents at the same sizes. Only minus zero differs. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new NotJsonError(`json: unsupported value: ${value}`);
  return Object.is(value, -0) ? '-0' : String(value);
}

function pretty(parts: readonly string[], depth: number): string {
  const indent = '  '.repeat(depth + 1);
  return `\n${parts.map((part) => indent + part).join(',\n')}\n${'  '.repeat(depth)}`;
}
