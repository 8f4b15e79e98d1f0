/** A table that draws only the rows in view, so that 10,000 rows scroll as 20 do. */
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import {
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
  type SortingState,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { fittingColumns, widthOf, type SizedColumn } from './fitting-columns.ts';

export interface Column<Row> extends SizedColumn {
  readonly title: string;
  /** What the rows are sorted by. */
  readonly value: (row: Row) => string | number;
  /** Default: the value. */
  readonly cell?: (row: Row) => ReactNode;
  readonly className?: string;
}

export interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly change: (keys: ReadonlySet<string>) => void;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** `name`, or `-name` for the reverse order. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Columns that somebody has hidden. Absent: those that have no room are. */
  readonly hidden?: readonly string[] | undefined;
  readonly selection?: Selection;
  /** The words of a row's checkbox. */
  readonly nameOf?: (row: Row) => string;
}

const ROW_HEIGHT = 40;
const CHECK_WIDTH = 40;
const OVERSCAN = 12;
const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, keyOf, sort, onSort, selection, nameOf = keyOf } = props;
  const sorted = useSorted(props);
  const scroller = useRef<HTMLDivElement>(null);
  const { shown, minWidth } = useShown(props, scroller);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div className="table-scroller" ref={scroller} tabIndex={0} role="region" aria-label={label}>
      <table className="data-table" aria-label={label} aria-rowcount={sorted.length + 1} style={{ minWidth }}>
        <colgroup>
          {selection !== undefined && <col style={{ width: CHECK_WIDTH }} />}
          {shown.map(({ id, width }) => (
            <col key={id} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection !== undefined && (
              <th className="check-cell">
                <SelectAll keys={sorted.map(({ id }) => id)} selection={selection} />
              </th>
            )}
            {shown.map((column) => (
              <Header key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = sorted[index];
            if (row === undefined) return null;
            const { id, original } = row;
            const check = selection === undefined ? undefined : { selection, name: nameOf(original) };
            return <Cells key={id} place={{ id, index }} row={original} columns={shown} check={check} />;
          })}
          {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  );
}

/** The columns, and the width below which the table scrolls sideways. */
function useShown<Row extends object>(
  { columns, hidden, selection }: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
) {
  const checkWidth = selection === undefined ? 0 : CHECK_WIDTH;
  const room = useWidth(scroller) - checkWidth;
  if (hidden === undefined) return { shown: fittingColumns(columns, room), minWidth: 0 };
  const shown = columns.filter(({ id }) => !hidden.includes(id));
  return { shown, minWidth: widthOf(shown) + checkWidth };
}

/** The width inside of the element, in pixels. */
function useWidth(element: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return undefined;
    const measure = (): void => setWidth(measured.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

function useSorted<Row extends object>({ columns, rows, keyOf, sort, hidden }: DataTableProps<Row>) {
  const definitions = useMemo(
    () =>
      columns.map(({ id, title, value }) => ({
        id,
        header: title,
        accessorFn: value,
        sortFn: 'alphanumeric' as const,
      })),
    [columns],
  );
  const sorting: SortingState = useMemo(
    () => (sort === '' ? [] : [{ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') }]),
    [sort],
  );
  const columnVisibility = useMemo(
    () => Object.fromEntries((hidden ?? []).map((id) => [id, false])),
    [hidden],
  );
  const state = { sorting, columnVisibility };
  const table = useTable({ features, columns: definitions, data: rows, getRowId: keyOf, state });
  return table.getRowModel().rows;
}

interface CellsProps<Row> {
  readonly place: { readonly id: string; readonly index: number };
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly check: { readonly selection: Selection; readonly name: string } | undefined;
}

function Cells<Row>({ place: { id, index }, row, columns, check }: CellsProps<Row>) {
  const isSelected = check?.selection.keys.has(id) === true;
  return (
    <tr aria-rowindex={index + 2} className={isSelected ? 'selected' : ''}>
      {check !== undefined && (
        <td className="check-cell">
          <input
            type="checkbox"
            aria-label={`Select ${check.name}`}
            checked={isSelected}
            onChange={() => check.selection.change(toggled(check.selection.keys, id))}
          />
        </td>
      )}
      {columns.map(({ id: column, cell, value, className }) => (
        <td key={column} className={className}>
          {(cell ?? value)(row)}
        </td>
      ))}
    </tr>
  );
}

function Header<Row>({
  column: { id, title },
  sort,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const isUp = sort === id;
  const isDown = sort === `-${id}`;
  const direction = isDown ? 'descending' : 'ascending';
  return (
    <th aria-sort={isUp || isDown ? direction : 'none'}>
      <button type="button" onClick={() => onSort(isUp ? `-${id}` : id)}>
        {title}
        <span aria-hidden="true" className="sort-mark">
          {isUp && '↑'}
          {isDown && '↓'}
        </span>
      </button>
    </th>
  );
}

function SelectAll({ keys, selection }: { readonly keys: readonly string[]; readonly selection: Selection }) {
  const isAll = keys.length > 0 && keys.every((key) => selection.keys.has(key));
  return (
    <input
      type="checkbox"
      aria-label="Select all rows"
      checked={isAll}
      onChange={() => selection.change(isAll ? new Set() : new Set(keys))}
    />
  );
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
