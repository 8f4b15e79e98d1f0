/** How large a value is, without writing it out. */

/** `characters` are those of the value as JSON, about: escapes and bytes beyond ASCII are not counted. */
export interface Size {
  readonly characters: number;
  readonly nodes: number;
  readonly depth: number;
}

/** What an object may be at most, however it came about. Kubernetes refuses what is larger than 1.5 MiB in its store. */
export const OBJECT_LIMITS: Size = { characters: 1_572_864, nodes: 60_000, depth: 110 };

/** How a limit is called in a message. */
export const sizeWords: Readonly<Record<keyof Size, string>> = {
  characters: 'bytes',
  nodes: 'values',
  depth: 'levels of nesting',
};

/** Values that are gone through without a pause: 1 ms. */
const NODES_EACH = 2000;
/** Of each value: a comma, and brackets or quotes. */
const PUNCTUATION = 3;

/** Which limit the value is beyond, or undefined. Yields often, and ends at the limit. */
export function* sizeFault(whole: unknown, limits: Size): Generator<undefined, string | undefined> {
  const meter = new Meter(whole);
  while (meter.count(NODES_EACH, limits)) yield undefined;
  return beyond(meter, limits);
}

/** The size of a value. What is beyond a limit is not counted to its end. */
export function sizeOf(whole: unknown, limits: Size): Size {
  const meter = new Meter(whole);
  meter.count(Infinity, limits);
  return meter;
}

/** The limit that a size is beyond, in words. */
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

  /** Goes on for so many values; false at the end, and beyond a limit. */
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
