/** Keeps a family's value for each combination of label values. */

/** More combinations are a mistake in the code, or an attack. Later ones are not kept. */
const COMBINATIONS_MAX = 5000;
/** Label values are UTF-8 text, so this character separates them in keys only. */
const SEPARATOR = '\u0000';

export class LabelValues<Label extends string, Value> {
  readonly #labels: readonly Label[];
  readonly #byKey = new Map<string, { readonly values: readonly string[]; value: Value }>();

  constructor(labels: readonly Label[]) {
    this.#labels = labels;
  }

  /**
   * Returns the value, and creates it when it does not exist. Returns undefined when there are too many
   * combinations already.
   */
  entry(given: Readonly<Record<Label, string>>, make: () => Value): { value: Value } | undefined {
    const key = this.#keyOf(given);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= COMBINATIONS_MAX) return undefined;
    const entry = { values: this.#labels.map((label) => given[label]), value: make() };
    this.#byKey.set(key, entry);
    return entry;
  }

  /**
   * Returns the values in the order of their first use. `text` is `reason="no-hardware"`, escaped, and empty
   * without labels.
   */
  *entries(): Iterable<{ readonly text: string; readonly value: Value }> {
    for (const { values, value } of this.#byKey.values())
      yield { text: labelsText(this.#labels, values), value };
  }

  #keyOf(given: Readonly<Record<Label, string>>): string {
    const [first] = this.#labels;
    if (first === undefined) return '';
    // Called for each packet: most families have one label, whose value is the key.
    if (this.#labels.length === 1) return given[first];
    let key = '';
    for (const label of this.#labels) key += given[label] + SEPARATOR;
    return key;
  }
}

/** Omits a label whose value is empty, because Prometheus treats both the same. */
export function labelsText(labels: readonly string[], values: readonly string[]): string {
  let text = '';
  for (const [index, label] of labels.entries()) {
    const value = values[index] ?? '';
    if (value !== '') text += `${text === '' ? '' : ','}${label}="${escaped(value)}"`;
  }
  return text;
}

/** Prometheus text format 0.0.4, "Comments, help text, and type information". */
function escaped(value: string): string {
  if (!/["\\\n]/.test(value)) return value;
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
