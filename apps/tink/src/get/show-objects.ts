/** `tink get`: prints objects as a table, as documents, through a template, or as names. */
import type { Resource } from '@tinkerbell/resources';
import type { ApiKind } from '../client/api-kind.ts';
import type { ListOptions } from '../client/client.ts';
import type { Step } from '../output/jsonpath/parse-jsonpath.ts';
import { nameOf } from '../client/kind-names.ts';
import { printStates } from '../output/colour.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { outputText, sortedBy, type Output } from '../output/output-format.ts';
import type { Session } from '../client/session.ts';
import { alignedText, tableLines, type Table } from '../output/table-text.ts';
import { named } from '../client/named.ts';

export interface ShowOptions extends ListOptions {
  readonly output: Output;
  readonly showLabels: boolean;
  readonly sortBy?: readonly Step[] | undefined;
}

export interface Wanted {
  readonly kinds: readonly ApiKind[];
  readonly names: readonly string[];
}

/** Prints the objects of these kinds. If names are given, prints only these. */
export async function showObjects(session: Session, wanted: Wanted, options: ShowOptions): Promise<void> {
  const { output, sortBy } = options;
  if (output.format === 'table' || output.format === 'wide') return showTables(session, wanted, options);
  const found = await Promise.all(
    wanted.kinds.map(async (kind) => ({
      kind,
      objects: await fetchObjects(session, { kind, names: wanted.names }, options),
    })),
  );
  const pairs = found.flatMap(({ kind, objects }) => objects.map((object) => ({ kind, object })));
  const sorted = sortBy === undefined ? pairs : sortedBy(pairs, sortBy, ({ object }) => object);
  const { out, isTty } = session.terminal;
  if (output.format === 'name')
    return out(sorted.map(({ kind, object }) => `${nameOf(kind, object.metadata.name)}\n`).join(''));
  const objects = sorted.map(({ object }) => object);
  const text = outputText(output, objects, wanted.names.length === 1 && objects.length === 1);
  // Templates print as in kubectl: programs get the exact text, terminals get a final line break.
  out(isTty && !text.endsWith('\n') ? `${text}\n` : text);
}

export async function fetchObjects(
  { client, namespace }: Session,
  { kind, names }: { readonly kind: ApiKind; readonly names: readonly string[] },
  options: ListOptions,
): Promise<readonly Resource[]> {
  if (names.length === 0) return (await client.list(kind, options)).items;
  const place = { client, namespace: options.namespace ?? namespace };
  const targets = await Promise.all(names.map((name) => named(place, kind, name)));
  return Promise.all(targets.map((target) => withCloseNames(client, target, () => client.get(target))));
}

async function showTables(session: Session, { kinds, names }: Wanted, options: ShowOptions): Promise<void> {
  const { err } = session.terminal;
  const tables = await Promise.all(
    kinds.map(async (kind) => ({ kind, table: await fetchTable(session, { kind, names }, options) })),
  );
  const filled = tables.filter(({ table }) => table.rows.length > 0);
  if (filled.length === 0) {
    const isEverywhere =
      options.namespace === undefined || kinds.every(({ namespaced }) => namespaced === false);
    const where = isEverywhere ? 'any namespace' : `namespace ${options.namespace}`;
    err(`no ${kinds.map((kind) => kind.plural).join(', ')} in ${where}\n`);
  }
  const texts = filled.map(({ kind, table }) => {
    const named = kinds.length > 1 ? withKind(table, kind) : table;
    return alignedText(tableLines(named, layoutOf(kind, options)));
  });
  printStates(session.terminal, texts.join('\n'));
}

/** The layout of a kind's rows. */
export function layoutOf(kind: ApiKind, { output, namespace, showLabels }: ShowOptions) {
  return {
    wide: output.format === 'wide',
    namespaced: namespace === undefined && kind.namespaced !== false,
    labels: showLabels,
  };
}

/** Prints names as `hardware/m1`, if several kinds are printed. */
function withKind(table: Table, kind: ApiKind): Table {
  const rows = table.rows.map((row) => ({
    ...row,
    cells: [nameOf(kind, String(row.cells[0])), ...row.cells.slice(1)],
  }));
  return { ...table, rows };
}

async function fetchTable(
  session: Session,
  { kind, names }: { readonly kind: ApiKind; readonly names: readonly string[] },
  options: ShowOptions,
): Promise<Table> {
  const { client, namespace } = session;
  const { sortBy } = options;
  const place = { client, namespace: options.namespace ?? namespace };
  const targets = await Promise.all(names.map((name) => named(place, kind, name)));
  const includeObjects = sortBy !== undefined;
  const [first, ...others] =
    targets.length === 0
      ? [await client.table(kind, { ...options, includeObjects })]
      : await Promise.all(
          targets.map((target) =>
            withCloseNames(client, target, () => client.tableOfOne(target, includeObjects)),
          ),
        );
  if (first === undefined) return client.table(kind, options);
  const rows = [first, ...others].flatMap((table) => table.rows);
  return { ...first, rows: sortBy === undefined ? rows : sortedBy(rows, sortBy, ({ object }) => object) };
}
