/** Determines how large a value is, without serialising it. */

/**
 * `characters` are approximately those of the value as JSON. Escapes and bytes beyond ASCII are not counted.
 */
export interface Size {
  readonly characters: number;
  readonly nodes: number;
  readonly depth: number;
}

/**
 * The maximum size of an object, whatever created it. Kubernetes refuses objects larger than 1.5 MiB in its
 * store.
 */
export const OBJECT_LIMITS: Size = { characters: 1_572_864, nodes: 60_000, depth: 110 };

/** The name of a limit in a message. */
export const sizeWords: Readonly<Record<keyof Size, string>> = {
  characters: 'bytes',
  nodes: 'values',
  depth: 'levels of nesting',
};

/** The number of values that are read without a pause: 1 ms. */
const NODES_EACH = 2000;
/** The characters besides each value: a comma, and brackets or quotes. */
const PUNCTUATION = 3;

/** Returns the limit that the value exceeds, or undefined. Yields often, and ends at the limit. */
export function* sizeFault(whole: unknown, limits: Size): Generator<undefined, string | undefined> {
  const meter = new Meter(whole);
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
  const names = ['nodes', 'characters', 'depth'] as const;
  const name = names.find((one) => size[one] > limits[one]);
  return name === undefined ? undefined : `more than ${limits[name]} ${sizeWords[name]}`;
}

class Meter implements Size {
  characters = 0;
  nodes = 0;
  depth = 0;
  readonly #waiting: { readonly value: unknown; readonly depth: number }[];

  constructor(value: unknown) {
    this.#waiting = [{ value, depth: 0 }];
  }

  /** Continues for that many values. Returns false at the end, and beyond a limit. */
  count(values: number, limits: Size): boolean {
    for (let counted = 0; counted < values; counted++) {
      const next = this.#waiting.pop();
      if (next === undefined) return false;
      this.#add(next.value, next.depth);
      if (beyond(this, limits) !== undefined) return false;
    }
    return true;
  }

  #add(value: unknown, depth: number): void {
    this.nodes += 1;
    this.depth = Math.max(this.depth, depth);
    this.characters += PUNCTUATION;
    if (typeof value === 'string') this.characters += value.length;
    if (typeof value === 'number') this.characters += String(value).length;
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value))
      for (const name of Object.keys(value)) this.characters += name.length + PUNCTUATION;
    for (const item of Object.values(value)) this.#waiting.push({ value: item, depth: depth + 1 });
  }
}
