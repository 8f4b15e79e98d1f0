/** Formats rows and columns as aligned text, like `kubectl get`. */
import type { ObjectMeta } from '@tinkerbell/resources';
import { printable } from './printable.ts';

/** The API's Table of meta.k8s.io/v1. */
export interface Table {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: { readonly metadata: ObjectMeta };
}

export interface TableOptions {
  /** Includes columns of lower priority. */
  readonly wide?: boolean;
  /** Adds a column for the namespace. */
  readonly namespaced?: boolean;
  /** Adds a column for the labels. */
  readonly labels?: boolean;
}

/** Returns the header and the cells of each row. */
export function tableLines(table: Table, options: TableOptions): readonly (readonly string[])[] {
  const shown = table.columnDefinitions.map((column) => column.priority === 0 || options.wide === true);
  const pick = (cells: readonly unknown[]): string[] =>
    cells.filter((_, index) => shown[index]).map(cellText);
  const names = pick(table.columnDefinitions.map((column) => column.name.toUpperCase()));
  const header = decorate(names, { namespace: 'NAMESPACE', labels: 'LABELS' }, options);
  const rows = table.rows.map(({ cells, object: { metadata } }) =>
    decorate(pick(cells), { namespace: metadata.namespace, labels: labelsText(metadata.labels) }, options),
  );
  return [header, ...rows];
}

function decorate(
  cells: readonly string[],
  { namespace, labels }: { namespace: string; labels: string },
  options: TableOptions,
): readonly string[] {
  return [...(options.namespaced ? [namespace] : []), ...cells, ...(options.labels ? [labels] : [])];
}

function cellText(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value ?? ''));
}

export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => (value === '' ? key : `${key}=${value}`));
  return pairs.length === 0 ? '<none>' : printable(pairs.join(','));
}

const GAP = 3;

/** Returns the width of each column: its widest cell, and at least `minimum`. The last column is not padded. */
export function columnWidths(
  lines: readonly (readonly string[])[],
  minimum: readonly number[] = [],
): readonly number[] {
  const count = Math.max(0, ...lines.map((line) => line.length));
  return Array.from({ length: count }, (_, index) =>
    Math.max(minimum[index] ?? 0, ...lines.map((line) => (line[index] ?? '').length)),
  );
}

/** Returns lines of text that end in a line break. Makes every cell printable. */
export function alignedText(given: readonly (readonly string[])[], widths?: readonly number[]): string {
  const lines = given.map((cells) => cells.map(printable));
  const columns = widths ?? columnWidths(lines);
  return lines
    .map(
      (cells) =>
        `${cells
          .map((cell, index) => cell.padEnd((columns[index] ?? 0) + GAP))
          .join('')
          .trimEnd()}\n`,
    )
    .join('');
}
