/** `tink get`: objects as a table, YAML, JSON or names. */
import { isRecord, type Kind, type Resource } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import type { ListOptions } from './client.ts';
import { followed } from './followed.ts';
import { nameOf } from './kind-names.ts';
import { withCloseNames } from './name-advice.ts';
import type { Session } from './session.ts';
import { alignedText, columnWidths, tableLines, type Table } from './table-text.ts';

export type Format = 'table' | 'wide' | 'yaml' | 'json' | 'name';
export const formats: readonly Format[] = ['table', 'wide', 'yaml', 'json', 'name'];

export interface ShowOptions {
  readonly format: Format;
  readonly showLabels: boolean;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
}

/** Prints objects of these kinds; of these names, when there are any. */
export async function showObjects(
  session: Session,
  wanted: { readonly kinds: readonly Kind[]; readonly names: readonly string[] },
  options: ShowOptions,
): Promise<void> {
  const { format } = options;
  if (format === 'table' || format === 'wide') return showTables(session, wanted, options);
  const objects = (
    await Promise.all(
      wanted.kinds.map((kind) => fetchObjects(session, { kind, names: wanted.names }, options)),
    )
  ).flat();
  if (format === 'name') {
    const kindsByName = new Map(wanted.kinds.map((kind) => [kind.kind, kind]));
    const lines = objects.map(({ kind, metadata: { name } }) => {
      const known = kindsByName.get(kind);
      return `${known === undefined ? name : nameOf(known, name)}\n`;
    });
    return session.terminal.out(lines.join(''));
  }
  const isSingle = wanted.names.length === 1 && objects.length === 1;
  session.terminal.out(documentText(isSingle ? objects[0] : listOf(objects), format));
}

function listOf(items: readonly Resource[]): object {
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items };
}

export function documentText(value: unknown, format: 'yaml' | 'json'): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringifyYaml(value);
}

async function fetchObjects(
  { client, namespace }: Session,
  { kind, names }: { readonly kind: Kind; readonly names: readonly string[] },
  options: ShowOptions,
): Promise<readonly Resource[]> {
  if (names.length === 0) return (await client.list(kind, options)).items;
  const targets = names.map((name) => ({ kind, namespace: options.namespace ?? namespace, name }));
  return Promise.all(targets.map((target) => withCloseNames(client, target, () => client.get(target))));
}

async function showTables(
  session: Session,
  { kinds, names }: { readonly kinds: readonly Kind[]; readonly names: readonly string[] },
  options: ShowOptions,
): Promise<void> {
  const { out, err } = session.terminal;
  const tables = await Promise.all(
    kinds.map(async (kind) => ({ kind, table: await fetchTable(session, kind, names, options) })),
  );
  const filled = tables.filter(({ table }) => table.rows.length > 0);
  if (filled.length === 0) {
    const where = options.namespace === undefined ? 'any namespace' : `namespace ${options.namespace}`;
    err(`no ${kinds.map((kind) => kind.plural).join(', ')} in ${where}\n`);
  }
  const texts = filled.map(({ kind, table }) => {
    const named = kinds.length > 1 ? withKind(table, kind) : table;
    return alignedText(tableLines(named, layoutOf(options)));
  });
  out(texts.join('\n'));
}

function layoutOf({ format, namespace, showLabels }: ShowOptions) {
  return { wide: format === 'wide', namespaced: namespace === undefined, labels: showLabels };
}

/** Names as `hardware/m1`, where kinds stand below each other. */
function withKind(table: Table, kind: Kind): Table {
  const rows = table.rows.map((row) => ({
    ...row,
    cells: [nameOf(kind, String(row.cells[0])), ...row.cells.slice(1)],
  }));
  return { ...table, rows };
}

async function fetchTable(
  session: Session,
  kind: Kind,
  names: readonly string[],
  options: ShowOptions,
): Promise<Table> {
  const { client, namespace } = session;
  if (names.length === 0) return client.table(kind, options);
  const targets = names.map((name) => ({ kind, namespace: options.namespace ?? namespace, name }));
  const [first, ...others] = await Promise.all(
    targets.map((target) => withCloseNames(client, target, () => client.tableOfOne(target))),
  );
  if (first === undefined) return client.table(kind, options);
  return { ...first, rows: [first, ...others].flatMap((table) => table.rows) };
}

/** Prints the table of one kind, then a row for each change, until the signal. */
export async function watchObjects(
  session: Session,
  { kind, names }: { readonly kind: Kind; readonly names: readonly string[] },
  options: ShowOptions,
): Promise<void> {
  const { terminal, client } = session;
  const list: ListOptions = options;
  const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const all = await client.table(kind, list);
  const table = { ...all, rows: all.rows.filter((row) => isWanted(row.object.metadata.name)) };
  const lines = tableLines(table, layoutOf(options));
  const widths = columnWidths(
    lines,
    lines[0]?.map(() => MINIMUM_WIDTH),
  );
  terminal.out(alignedText(lines, widths));
  let last = all.metadata.resourceVersion;
  const open = () => client.watchTable(kind, list, last);
  for await (const event of followed(session, open)) {
    const row = rowOf(event.object);
    if (row === undefined) continue;
    last = row.object.metadata.resourceVersion ?? last;
    if (!isWanted(row.object.metadata.name)) continue;
    const [, cells = []] = tableLines({ ...table, rows: [row] }, layoutOf(options));
    const gone = event.type === 'DELETED' ? [...cells, '(deleted)'] : cells;
    terminal.out(alignedText([gone], widths));
  }
}

/** Wide enough for most states, so that later rows stay under their headers. */
const MINIMUM_WIDTH = 10;

function rowOf(object: unknown): Table['rows'][number] | undefined {
  return isRecord(object) && Array.isArray(object['rows']) ? (object as unknown as Table).rows[0] : undefined;
}
