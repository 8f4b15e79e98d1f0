/** Parses `-o`, and prints objects in that format. */
import type { Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { usageFailure } from '../failure.ts';
import { renderJsonPath, valuesAt, valueText } from './jsonpath/evaluate-jsonpath.ts';
import { parseJsonPath, parsePath, type Piece, type Step } from './jsonpath/parse-jsonpath.ts';
import { alignedText } from './table-text.ts';
import { printable } from './printable.ts';

const plainFormats = ['table', 'wide', 'yaml', 'json', 'name'] as const;
type PlainFormat = (typeof plainFormats)[number];

export interface CustomColumn {
  readonly header: string;
  readonly path: readonly Step[];
}

export type Output =
  | { readonly format: PlainFormat }
  | { readonly format: 'jsonpath'; readonly pieces: readonly Piece[] }
  | { readonly format: 'custom-columns'; readonly columns: readonly CustomColumn[] };

export const OUTPUT_FORMATS =
  'table, wide, yaml, json, name, jsonpath=TEMPLATE, custom-columns=HEADER:PATH,…';

/** Throws a usage failure that lists the formats. */
export function parseOutput(text: string): Output {
  const plain = plainFormats.find((one) => one === text);
  if (plain !== undefined) return { format: plain };
  const [, format, argument = ''] = /^([a-z-]+)=(.*)$/s.exec(text) ?? [];
  if (format === 'jsonpath' && argument !== '') return { format, pieces: parseJsonPath(argument) };
  if (format === 'custom-columns' && argument !== '') return { format, columns: columnsOf(argument) };
  throw usageFailure(`-o ${text}: unknown format`, `formats: ${OUTPUT_FORMATS}`);
}

function columnsOf(text: string): readonly CustomColumn[] {
  return text.split(/,(?![^[]*\])/).map((column) => {
    const at = column.indexOf(':');
    if (at < 1 || at === column.length - 1) {
      throw usageFailure(
        `custom-columns: ${JSON.stringify(column)} is not HEADER:PATH`,
        'for example custom-columns=NAME:.metadata.name,MAC:.spec.interfaces[*].dhcp.mac',
      );
    }
    return { header: column.slice(0, at), path: parsePath(column.slice(at + 1)) };
  });
}

/** Returns a row of cells for each object; missing values are `<none>`. */
export function customCells(
  columns: readonly CustomColumn[],
  objects: readonly unknown[],
): readonly (readonly string[])[] {
  return objects.map((object) =>
    columns.map(({ path }) => {
      const values = valuesAt(path, object);
      return values.length === 0 ? '<none>' : printable(values.map(valueText).join(','));
    }),
  );
}

/** Formats objects as documents, through a template, or in columns. One object requested by its name is not wrapped in a list. */
export function outputText(
  output: Exclude<Output, { format: 'table' | 'wide' | 'name' }> | { readonly format: PlainFormat },
  objects: readonly Resource[],
  isSingle: boolean,
): string {
  switch (output.format) {
    case 'jsonpath':
      return renderJsonPath(output.pieces, isSingle ? objects[0] : listOf(objects));
    case 'custom-columns':
      return alignedText([
        output.columns.map(({ header }) => header),
        ...customCells(output.columns, objects),
      ]);
    default:
      return documentText(isSingle ? objects[0] : listOf(objects), output.format);
  }
}

function listOf(items: readonly Resource[]): object {
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items };
}

function documentText(value: unknown, format: PlainFormat): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringifyYaml(value);
}

/** Sorts by the values of the path: numbers by size, text in natural order, missing values first. */
export function sortedBy<Item>(
  items: readonly Item[],
  path: readonly Step[],
  objectOf: (item: Item) => unknown,
): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: valuesAt(path, objectOf(item))[0] }));
  return keyed.toSorted((a, b) => compareKeys(a.key, b.key)).map(({ item }) => item);
}

/** Natural order: `m2` before `m10`. */
const natural = new Intl.Collator('en', { numeric: true });

function compareKeys(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return natural.compare(valueText(a), valueText(b));
}
