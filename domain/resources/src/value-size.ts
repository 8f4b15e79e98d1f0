/** Determines how large a value is, without serialising it. */
import { isRecord } from '@tinkerbell/yaml/json';
import { RecentMap } from './recent-map.ts';

/**
 * `characters` are approximately those of the value as JSON. Escapes and bytes beyond ASCII are not counted.
 */
export interface Size {
  readonly characters: number;
  readonly nodes: number;
  readonly depth: number;
  /** The most fields of one object in it. */
  readonly keys: number;
}

/**
 * The maximum size of an object, whatever created it. Kubernetes refuses objects larger than 1.5 MiB in its
 * store.
 */
export const OBJECT_LIMITS: Size = { characters: 1_572_864, nodes: 60_000, depth: 110, keys: 5000 };

/** The name of a limit in a message. */
export const sizeWords: Readonly<Record<keyof Size, string>> = {
  characters: 'bytes',
  nodes: 'values',
  depth: 'levels of nesting',
  keys: 'fields in one object',
};

/** The number of values that are read without a pause: 1 ms. */
const NODES_EACH = 2000;
/** The characters besides each value: a comma, and brackets or quotes. */
const PUNCTUATION = 3;

/** Sizes of lists and objects within measured values. They are never changed, so most of a changed object is known. */
const known = new RecentMap<object, Size>();

/** The number of values that `isSmall` reads at most, which takes a few microseconds. */
const SMALL_NODES = 200;
/** At least the characters of a number, with its punctuation. */
const PLAIN_CHARACTERS = 32;

/** Returns true for a value of few values that is within the limits. Returns false for any other, which `sizeFault` measures. */
export function isSmall(value: unknown, limits: Size): boolean {
  if (limits.nodes < SMALL_NODES || limits.keys < SMALL_NODES) return false;
  const meter = new SmallMeter(limits);
  return isRecord(value) ? meter.takesWhole(value, limits.depth) : meter.takes(value, limits.depth);
}

interface SmallField {
  readonly nodes: number;
  readonly characters: number;
  /** It is not deeper. */
  readonly depth: number;
}

/** Fields of measured values, such as a spec that stays the same when the status changes. */
const smallFields = new RecentMap<object, SmallField>();
/** To know a field with fewer values takes longer than to read it. */
const KNOWN_NODES_MIN = 16;

class SmallMeter {
  #nodesLeft = SMALL_NODES;
  #charactersLeft: number;

  constructor({ characters }: Size) {
    this.#charactersLeft = characters;
  }

  takesWhole(value: Record<string, unknown>, depthLeft: number): boolean {
    if (!this.#takes({ nodes: 1, characters: PLAIN_CHARACTERS, depth: 0 }, depthLeft)) return false;
    for (const name in value) {
      this.#charactersLeft -= name.length;
      if (!this.#takesField(value[name], depthLeft - 1)) return false;
    }
    return true;
  }

  #takesField(value: unknown, depthLeft: number): boolean {
    if (typeof value !== 'object' || value === null) return this.takes(value, depthLeft);
    const known = smallFields.get(value);
    if (known !== undefined) return this.#takes(known, depthLeft);
    const [nodes, characters] = [this.#nodesLeft, this.#charactersLeft];
    if (!this.takes(value, depthLeft)) return false;
    const size = { nodes: nodes - this.#nodesLeft, characters: characters - this.#charactersLeft };
    if (size.nodes >= KNOWN_NODES_MIN) smallFields.set(value, { ...size, depth: depthLeft });
    return true;
  }

  #takes({ nodes, characters, depth }: SmallField, depthLeft: number): boolean {
    this.#nodesLeft -= nodes;
    this.#charactersLeft -= characters;
    return this.#nodesLeft >= 0 && this.#charactersLeft >= 0 && depthLeft >= depth;
  }

  takes(value: unknown, depthLeft: number): boolean {
    const length = typeof value === 'string' ? value.length : 0;
    if (!this.#takes({ nodes: 1, characters: PLAIN_CHARACTERS + length, depth: 0 }, depthLeft)) return false;
    if (Array.isArray(value)) {
      for (const item of value) if (!this.takes(item, depthLeft - 1)) return false;
    } else if (isRecord(value)) {
      for (const name in value) {
        this.#charactersLeft -= name.length;
        if (!this.takes(value[name], depthLeft - 1)) return false;
      }
    }
    return true;
  }
}

/** Returns the limit that the value exceeds, or undefined. Yields often, and ends at the limit. */
export function* sizeFault(whole: unknown, limits: Size): Generator<undefined, string | undefined> {
  if (!isRecord(whole)) return yield* sizeFaultOf(new Meter(whole), limits);
  const meter = new Meter({});
  meter.count(1, limits);
  const names = Object.keys(whole);
  meter.keys = names.length;
  for (const name of names) {
    const value = whole[name];
    meter.addName(name);
    if (typeof value === 'object' && value !== null)
      meter.addWithin(known.get(value) ?? (yield* fieldSize(value, limits)));
    else meter.addPlain(value);
    if (meter.isBeyond(limits)) break;
  }
  return beyond(meter, limits);
}

function* fieldSize(value: object, limits: Size): Generator<undefined, Size> {
  const meter = new Meter(value);
  while (meter.count(NODES_EACH, limits)) yield undefined;
  const { characters, nodes, depth, keys } = meter;
  const size = { characters, nodes, depth, keys };
  if (!meter.isBeyond(limits)) known.set(value, size);
  return size;
}

function* sizeFaultOf(meter: Meter, limits: Size): Generator<undefined, string | undefined> {
  while (meter.count(NODES_EACH, limits)) yield undefined;
  return beyond(meter, limits);
}

/** Returns the size of a value. Counting stops at a limit. */
export function sizeOf(whole: unknown, limits: Size): Size {
  const meter = new Meter(whole);
  meter.count(Infinity, limits);
  return meter;
}

/** Returns the limit that a size exceeds, as text. */
export function beyond(size: Size, limits: Size): string | undefined {
  const names = ['nodes', 'characters', 'depth', 'keys'] as const;
  const name = names.find((one) => size[one] > limits[one]);
  return name === undefined ? undefined : `more than ${limits[name]} ${sizeWords[name]}`;
}

class Meter implements Size {
  characters = 0;
  nodes = 0;
  depth = 0;
  keys = 0;
  /** Values that are not counted yet, and the depth of each. */
  readonly #values: unknown[];
  readonly #depths: number[] = [0];

  constructor(value: unknown) {
    this.#values = [value];
  }

  /** Continues for that many values. Returns false at the end, and beyond a limit. */
  count(values: number, limits: Size): boolean {
    for (let counted = 0; counted < values; counted++) {
      const depth = this.#depths.pop();
      if (depth === undefined) return false;
      this.#add(this.#values.pop(), depth);
      if (this.isBeyond(limits)) return false;
    }
    return true;
  }

  isBeyond({ characters, nodes, depth, keys }: Size): boolean {
    return this.nodes > nodes || this.characters > characters || this.depth > depth || this.keys > keys;
  }

  addName(name: string): void {
    this.characters += name.length + PUNCTUATION;
  }

  /** Adds a value that contains no others, one level deeper. */
  addPlain(value: unknown): void {
    this.#addOne(value, 1);
  }

  /** Adds a value that is one level deeper. */
  addWithin({ characters, nodes, depth, keys }: Size): void {
    this.characters += characters;
    this.nodes += nodes;
    this.depth = Math.max(this.depth, depth + 1);
    this.keys = Math.max(this.keys, keys);
  }

  #addOne(value: unknown, depth: number): void {
    this.nodes += 1;
    this.depth = Math.max(this.depth, depth);
    this.characters += PUNCTUATION;
    if (typeof value === 'string') this.characters += value.length;
    if (typeof value === 'number') this.characters += String(value).length;
  }

  #add(value: unknown, depth: number): void {
    this.#addOne(value, depth);
    if (Array.isArray(value)) for (const item of value) this.#later(item, depth + 1);
    else if (isRecord(value)) {
      const names = Object.keys(value);
      this.keys = Math.max(this.keys, names.length);
      for (const name of names) {
        this.addName(name);
        this.#later(value[name], depth + 1);
      }
    }
  }

  #later(value: unknown, depth: number): void {
    this.#values.push(value);
    this.#depths.push(depth);
  }
}
