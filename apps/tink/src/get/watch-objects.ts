/** `tink get -w`: prints the current objects, then every change, until the signal. */
import { printStates } from '../output/colour.ts';
import { isRecord, type Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import type { ApiKind } from '../client/api-kind.ts';
import type { WatchEvent } from '../client/answers.ts';
import { followed } from '../client/followed.ts';
import { renderJsonPath } from '../output/jsonpath/evaluate-jsonpath.ts';
import { nameOf } from '../client/kind-names.ts';
import { customCells, sortedBy, type Output } from '../output/output-format.ts';
import type { Session } from '../client/session.ts';
import { layoutOf, type ShowOptions } from './show-objects.ts';
import { alignedText, columnWidths, tableLines, type Table } from '../output/table-text.ts';

interface Watched {
  readonly kind: ApiKind;
  readonly names: readonly string[];
}

/** Prints the objects of one kind, then each change. */
export function watchObjects(session: Session, watched: Watched, options: ShowOptions): Promise<void> {
  const { format } = options.output;
  return format === 'table' || format === 'wide'
    ? watchTable(session, watched, options)
    : watchDocuments(session, watched, options);
}

async function watchTable(session: Session, { kind, names }: Watched, options: ShowOptions): Promise<void> {
  const { terminal, client } = session;
  const { sortBy } = options;
  const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const all = await client.table(kind, { ...options, includeObjects: sortBy !== undefined });
  const rows = all.rows.filter((row) => isWanted(row.object.metadata.name));
  const table = {
    ...all,
    rows: sortBy === undefined ? rows : sortedBy(rows, sortBy, ({ object }) => object),
  };
  const lines = tableLines(table, layoutOf(kind, options));
  const widths = columnWidths(
    lines,
    lines[0]?.map(() => MINIMUM_WIDTH),
  );
  printStates(terminal, alignedText(lines, widths));
  let last = all.metadata.resourceVersion;
  const open = () => client.watchTable(kind, options, last);
  for await (const event of followed(session, open)) {
    const row = rowOf(event.object);
    if (row === undefined) continue;
    last = row.object.metadata.resourceVersion ?? last;
    if (!isWanted(row.object.metadata.name)) continue;
    const [, cells = []] = tableLines({ ...table, rows: [row] }, layoutOf(kind, options));
    const gone = event.type === 'DELETED' ? [...cells, '(deleted)'] : cells;
    terminal.out(alignedText([gone], widths));
  }
}

/** Wide enough for most states, so that later rows align with their headers. */
const MINIMUM_WIDTH = 10;

/** Undefined for a bookmark and for an error. */
function rowOf({ rows }: Partial<Table>): Table['rows'][number] | undefined {
  return rows?.[0];
}

async function watchDocuments(
  session: Session,
  { kind, names }: Watched,
  options: ShowOptions,
): Promise<void> {
  const { terminal, client } = session;
  const isWanted = ({ metadata }: Resource): boolean => names.length === 0 || names.includes(metadata.name);
  const { items, resourceVersion } = await client.list(kind, options);
  const sorted = options.sortBy === undefined ? items : sortedBy(items, options.sortBy, (one) => one);
  const print = (event: WatchEvent<Resource>): void => terminal.out(eventText(kind, options.output, event));
  if (options.output.format === 'custom-columns')
    terminal.out(alignedText([options.output.columns.map(({ header }) => header.padEnd(MINIMUM_WIDTH))]));
  for (const object of sorted.filter(isWanted)) print({ type: 'ADDED', object });
  let last = resourceVersion;
  for await (const event of followed(session, () => client.watch(kind, options, last))) {
    if (!isRecord(event.object.metadata)) continue;
    last = event.object.metadata.resourceVersion ?? last;
    if (event.type !== 'BOOKMARK' && isWanted(event.object)) print(event);
  }
}

/** Pure: `json` prints the event type and the object on one line, as the API streams them. Other formats print only the object. */
export function eventText(kind: ApiKind, output: Output, event: WatchEvent<Resource>): string {
  const { type, object } = event;
  switch (output.format) {
    case 'json':
      return `${JSON.stringify({ type, object })}\n`;
    case 'yaml':
      return `---\n${type === 'DELETED' ? '# deleted\n' : ''}${stringifyYaml(object)}`;
    case 'jsonpath': {
      const text = renderJsonPath(output.pieces, object);
      return text.endsWith('\n') ? text : `${text}\n`;
    }
    case 'custom-columns': {
      const cells = customCells(output.columns, [object]).map((line) =>
        line.map((cell) => cell.padEnd(MINIMUM_WIDTH)),
      );
      return alignedText(type === 'DELETED' ? cells.map((line) => [...line, '(deleted)']) : cells);
    }
    default:
      return `${nameOf(kind, object.metadata.name)}${type === 'DELETED' ? ' (deleted)' : ''}\n`;
  }
}
