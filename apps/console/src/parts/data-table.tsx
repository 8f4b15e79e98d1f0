/** A table that draws only the rows in view, so that 10,000 rows scroll as 20 do. */
import { memo, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { fittingColumns, widthOf, type SizedColumn } from './fitting-columns.ts';
import { sortedRows } from './sorted-rows.ts';

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
const OVERSCAN = 6;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, keyOf, sort, onSort, selection } = props;
  const sorted = useSorted(props);
  const keys = useMemo(() => sorted.map(keyOf), [sorted, keyOf]);
  const scroller = useRef<HTMLDivElement>(null);
  const { shown, minWidth } = useShown(props, scroller);
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
                <SelectAll keys={keys} selection={selection} />
              </th>
            )}
            {shown.map((column) => (
              <Header key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <Body {...props} rows={sorted} columns={shown} scroller={scroller} />
      </table>
    </div>
  );
}

type BodyProps<Row> = Pick<DataTableProps<Row>, 'rows' | 'columns' | 'keyOf' | 'selection' | 'nameOf'> & {
  readonly scroller: RefObject<HTMLDivElement | null>;
};

/** Scrolling draws only this part again, and of it only the rows that come into view. */
function Body<Row extends object>({
  rows,
  columns,
  keyOf,
  nameOf = keyOf,
  selection,
  scroller,
}: BodyProps<Row>) {
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const toggle = useToggle(selection);
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <tbody>
      {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
      {items.map(({ index }) => {
        const row = rows[index];
        if (row === undefined) return null;
        const id = keyOf(row);
        return (
          <Cells
            key={id}
            id={id}
            index={index}
            row={row}
            columns={columns}
            name={nameOf(row)}
            isSelected={selection?.keys.has(id)}
            onToggle={toggle}
          />
        );
      })}
      {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
    </tbody>
  );
}

/** The same function each time, so that rows are not drawn again. */
function useToggle(selection: Selection | undefined): (key: string) => void {
  const latest = useRef(selection);
  latest.current = selection;
  return useRef((key: string) => latest.current?.change(toggled(latest.current.keys, key))).current;
}

/** The columns, and the width below which the table scrolls sideways. */
function useShown<Row extends object>(
  { columns, hidden, selection }: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
) {
  const checkWidth = selection === undefined ? 0 : CHECK_WIDTH;
  const room = useWidth(scroller) - checkWidth;
  const off = hidden?.join();
  return useMemo(() => {
    if (off === undefined) return { shown: fittingColumns(columns, room), minWidth: 0 };
    const names = off.split(',');
    const shown = columns.filter(({ id }) => !names.includes(id));
    return { shown, minWidth: widthOf(shown) + checkWidth };
  }, [columns, room, off, checkWidth]);
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

function useSorted<Row extends object>({ columns, rows, keyOf, sort }: DataTableProps<Row>): readonly Row[] {
  const last = useRef<{ readonly sort: string; readonly keys: readonly string[] }>({ sort, keys: [] });
  return useMemo(() => {
    const column = columns.find(({ id }) => id === sort.replace(/^-/, ''));
    if (column === undefined) return rows;
    const before = last.current.sort === sort ? last.current.keys : [];
    const order = { value: column.value, isReverse: sort.startsWith('-'), keyOf, before };
    const sorted = sortedRows(rows, order);
    last.current = { sort, keys: sorted.map(keyOf) };
    return sorted;
  }, [columns, rows, keyOf, sort]);
}

/** A column whose rows are of some type. Its methods accept what the table has. */
interface AnyColumn {
  readonly id: string;
  readonly className?: string;
  value(row: object): string | number;
  cell?(row: object): ReactNode;
}

interface CellsProps {
  readonly id: string;
  readonly index: number;
  readonly row: object;
  readonly columns: readonly AnyColumn[];
  /** The words of its checkbox. */
  readonly name: string;
  /** Undefined: rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly onToggle: (key: string) => void;
}

function PlainCells({ id, index, row, columns, name, isSelected, onToggle }: CellsProps) {
  return (
    <tr aria-rowindex={index + 2} className={isSelected === true ? 'selected' : ''}>
      {isSelected !== undefined && (
        <td className="check-cell">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={() => onToggle(id)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} className={column.className}>
          {column.cell === undefined ? column.value(row) : column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

const Cells = memo(PlainCells);

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
