/** Reads the fields of a YAML mapping. Each error names the place and the expected value. */
import { nearest } from '@tinkerbell/resources';
import { toJson, type Position, type YamlNode } from '@tinkerbell/yaml';

/** Thrown internally. readRouteFile turns it into a value. */
export class FieldError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

export interface Place {
  readonly node: YamlNode;
  /** `routes[0].match.host` */
  readonly path: string;
}

export function refuse({ node, path }: Place, rule: string): never {
  const shown = node.kind === 'scalar' ? `, not ${JSON.stringify(toJson(node)).slice(0, 80)}` : '';
  throw new FieldError(`${path === '' ? 'the file' : path} ${rule}${shown}`, node.position);
}

export class Fields {
  readonly #place: Place;
  readonly #at = new Map<string, Place>();

  /** Refuses a value that is not a mapping, and fields that are not among `names`. */
  constructor(place: Place, names: readonly string[]) {
    this.#place = place;
    const { node, path } = place;
    if (node.kind !== 'map') refuse(place, 'must be a mapping');
    for (const [key, { keyPosition, value }] of node.entries) {
      const here = path === '' ? key : `${path}.${key}`;
      if (!names.includes(key)) {
        const near = nearest(key, names);
        const wayOut = near === undefined ? `it may be ${names.join(', ')}` : `did you mean ${near}?`;
        throw new FieldError(`${here} is unknown; ${wayOut}`, keyPosition);
      }
      if (value.kind !== 'scalar' || value.value !== null) this.#at.set(key, { node: value, path: here });
    }
  }

  /** Returns the result of `read` for the field, or undefined when it is absent. */
  optional<Value>(name: string, read: (place: Place) => Value): Value | undefined {
    const place = this.#at.get(name);
    return place === undefined ? undefined : read(place);
  }

  required<Value>(name: string, read: (place: Place) => Value): Value {
    const place = this.#at.get(name);
    return place === undefined ? refuse(this.#place, `needs the field ${name}`) : read(place);
  }
}

export function text(place: Place): string {
  const { node } = place;
  if (node.kind !== 'scalar' || node.text === '') return refuse(place, 'must be a text');
  return node.text;
}

/** Allows an empty text. */
export function anyText(place: Place): string {
  return place.node.kind === 'scalar' ? place.node.text : refuse(place, 'must be a text');
}

export function boolean(place: Place): boolean {
  const { node } = place;
  return node.kind === 'scalar' && typeof node.value === 'boolean'
    ? node.value
    : refuse(place, 'must be true or false');
}

export function wholeNumber(min: number, max: number): (place: Place) => number {
  return (place) => {
    const value = place.node.kind === 'scalar' ? place.node.value : undefined;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      return refuse(place, `must be a whole number from ${min} to ${max}`);
    return value;
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `500ms`, `10s`, `2m`, `1h`. */
export function durationMs(place: Place): number {
  const match = place.node.kind === 'scalar' ? /^(\d{1,6})(ms|s|m|h)$/.exec(place.node.text) : null;
  const value = Number(match?.[1] ?? 0) * (UNITS_MS[match?.[2] ?? ''] ?? 0);
  return value > 0 ? value : refuse(place, 'must be a duration such as 500ms, 10s or 2m');
}

export function oneOf<const Value extends string>(values: readonly Value[]): (place: Place) => Value {
  return (place) =>
    values.find((value) => value === text(place)) ?? refuse(place, `must be ${values.join(' or ')}`);
}

export function parsed<Value>(
  parse: (source: string) => Value | undefined,
  rule: string,
): (place: Place) => Value {
  return (place) => parse(text(place)) ?? refuse(place, rule);
}

export function list<Value>(read: (place: Place) => Value): (place: Place) => readonly Value[] {
  return (place) => {
    const { node, path } = place;
    if (node.kind !== 'list') return refuse(place, 'must be a list');
    return node.items.map((item, index) => read({ node: item, path: `${path}[${index}]` }));
  };
}

/** Requires at least one element. */
export function someOf<Value>(read: (place: Place) => Value): (place: Place) => readonly Value[] {
  return (place) => {
    const values = list(read)(place);
    return values.length === 0 ? refuse(place, 'must not be empty') : values;
  };
}

/** Reads a mapping with any names. */
export function mapping<Value>(
  read: (place: Place) => Value,
  keyOf: (key: string) => string = (key) => key,
): (place: Place) => ReadonlyMap<string, Value> {
  return (place) => {
    const { node, path } = place;
    if (node.kind !== 'map') return refuse(place, 'must be a mapping');
    return new Map(
      [...node.entries].map(([key, { value }]) => [
        keyOf(key),
        read({ node: value, path: `${path}.${key}` }),
      ]),
    );
  };
}
