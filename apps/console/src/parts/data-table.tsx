/** A table that draws only the rows in view, so that 10,000 rows scroll as 20 do. */
import {
  memo,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';
import { fittingColumns, widthOf, type SizedColumn } from './fitting-columns.ts';
import { nextSlots, noSlots, type RowSlots } from './row-slots.ts';
import { ROW_HEIGHT } from './row-window.ts';
import { sortedRows } from './sorted-rows.ts';
import { useRowWindow } from './use-row-window.ts';

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

const CHECK_WIDTH = 40;

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, keyOf, sort, onSort, selection } = props;
  const sorted = useSorted(props);
  const keys = useMemo(() => sorted.map(keyOf), [sorted, keyOf]);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { shown, minWidth } = useShown(props, scroller);
  const style = { minWidth, '--tracks': tracksOf(shown, selection !== undefined) } as CSSProperties;
  return (
    <div className="table-scroller" ref={setScroller} tabIndex={0} role="region" aria-label={label}>
      <table
        className="data-table row-table"
        role="table"
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        style={style}
      >
        <thead role="rowgroup">
          <tr role="row">
            {selection !== undefined && (
              <th className="check-cell" role="columnheader">
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

/** The tracks of the grid that each row is. The columns share what is left of the width. */
function tracksOf(columns: readonly SizedColumn[], hasCheckboxes: boolean): string {
  const tracks = columns.map(({ width, share = width }) => `minmax(0, ${share}fr)`);
  return [...(hasCheckboxes ? [`${CHECK_WIDTH}px`] : []), ...tracks].join(' ');
}

type BodyProps<Row> = Pick<DataTableProps<Row>, 'rows' | 'columns' | 'keyOf' | 'selection' | 'nameOf'> & {
  readonly scroller: HTMLElement | null;
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
  const { first, end } = useRowWindow(scroller, rows.length);
  const drawn = rows.slice(first, end);
  const body = useRef<HTMLTableSectionElement>(null);
  const slots = useSlots(drawn.map(keyOf));
  useFocusBack(body, { scroller, jumps: slots.jumps });
  const toggle = useToggle(selection);
  return (
    <tbody
      ref={body}
      role="rowgroup"
      style={{ height: rows.length * ROW_HEIGHT, paddingTop: first * ROW_HEIGHT }}
    >
      {drawn.map((row, at) => {
        const id = keyOf(row);
        return (
          <Cells
            key={slots.keys.get(id)}
            id={id}
            index={first + at}
            row={row}
            columns={columns}
            name={nameOf(row)}
            isSelected={selection?.keys.has(id)}
            onToggle={toggle}
          />
        );
      })}
    </tbody>
  );
}

function useSlots(ids: readonly string[]): RowSlots {
  const latest = useRef(noSlots);
  latest.current = nextSlots(latest.current, ids);
  return latest.current;
}

/** After a jump, an element that has the focus belongs to another row: the next key must not act on it. */
function useFocusBack(
  body: RefObject<HTMLElement | null>,
  { scroller, jumps }: { readonly scroller: HTMLElement | null; readonly jumps: number },
): void {
  useLayoutEffect(() => {
    if (jumps > 0 && body.current?.contains(document.activeElement) === true)
      scroller?.focus({ preventScroll: true });
  }, [body, scroller, jumps]);
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
  scroller: HTMLElement | null,
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
function useWidth(measured: HTMLElement | null): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (measured === null) return undefined;
    const measure = (): void => setWidth(measured.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [measured]);
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
    <tr role="row" aria-rowindex={index + 2} className={isSelected === true ? 'selected' : ''}>
      {isSelected !== undefined && (
        <td role="cell" className="check-cell">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={() => onToggle(id)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} role="cell" className={column.className}>
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
    <th role="columnheader" aria-sort={isUp || isDown ? direction : 'none'}>
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
      disabled={keys.length === 0}
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
