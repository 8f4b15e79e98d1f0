/**
 * Converts a Hardware to one row and back. Fields without their own column are JSON in the column `more`, so a row loses nothing.
 * Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { hardwareKind, isRecord, type Path, type Resource } from '@tinkerbell/resources';

type Form = 'text' | 'boolean' | 'list' | 'disks';

export interface HardwareColumn {
  readonly column: string;
  /** Path within the spec. */
  readonly path: Path;
  readonly form: Form;
}

const dhcp = ['interfaces', 0, 'dhcp'] as const;
const netboot = ['interfaces', 0, 'netboot'] as const;

export const hardwareColumns: readonly HardwareColumn[] = [
  { column: 'mac', path: [...dhcp, 'mac'], form: 'text' },
  { column: 'ip', path: [...dhcp, 'ip', 'address'], form: 'text' },
  { column: 'netmask', path: [...dhcp, 'ip', 'netmask'], form: 'text' },
  { column: 'gateway', path: [...dhcp, 'ip', 'gateway'], form: 'text' },
  { column: 'hostname', path: [...dhcp, 'hostname'], form: 'text' },
  { column: 'vlan_id', path: [...dhcp, 'vlan_id'], form: 'text' },
  { column: 'arch', path: [...dhcp, 'arch'], form: 'text' },
  { column: 'uefi', path: [...dhcp, 'uefi'], form: 'boolean' },
  { column: 'name_servers', path: [...dhcp, 'name_servers'], form: 'list' },
  { column: 'allow_pxe', path: [...netboot, 'allowPXE'], form: 'boolean' },
  { column: 'allow_workflow', path: [...netboot, 'allowWorkflow'], form: 'boolean' },
  { column: 'disable_dhcp', path: ['interfaces', 0, 'disableDhcp'], form: 'boolean' },
  { column: 'disks', path: ['disks'], form: 'disks' },
  { column: 'agent_id', path: ['agentID'], form: 'text' },
  { column: 'bmc', path: ['bmcRef', 'name'], form: 'text' },
];

export const rowHeader: readonly string[] = [
  'name',
  'namespace',
  'labels',
  ...hardwareColumns.map(({ column }) => column),
  'annotations',
  'more',
];

/** Returns the cells in the order of `rowHeader`. */
export function rowOf({ metadata, spec = {} }: Resource): readonly string[] {
  const { rest, cells } = extracted(spec);
  const isWhole = isDeepStrictEqual(filled(structuredClone(rest), cells), spec);
  const shown = isWhole ? cells : new Map<string, string>();
  const more = isWhole ? rest : spec;
  return [
    metadata.name,
    metadata.namespace,
    Object.entries(metadata.labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(';'),
    ...hardwareColumns.map(({ column }) => shown.get(column) ?? ''),
    isEmpty(metadata.annotations) ? '' : JSON.stringify(metadata.annotations),
    isEmpty(more) ? '' : JSON.stringify(more),
  ];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (isRecord(value) && Object.keys(value).length === 0);
}

function extracted(spec: unknown): { rest: unknown; cells: ReadonlyMap<string, string> } {
  const rest: unknown = structuredClone(spec);
  const cells = new Map<string, string>();
  for (const { column, path, form } of hardwareColumns) {
    const cell = cellOf(valueAt(rest, path), form);
    if (cell === undefined) continue;
    cells.set(column, cell);
    remove(rest, path);
  }
  return { rest, cells };
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) value = isContainer(value) ? value[String(step)] : undefined;
  return value;
}

type Container = Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Returns undefined for a value that does not fit a cell. */
function cellOf(value: unknown, form: Form): string | undefined {
  switch (form) {
    case 'text':
      return typeof value === 'string' && value !== '' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'list':
      return listCell(value);
    case 'disks': {
      const isPlain =
        Array.isArray(value) && value.every((one) => isRecord(one) && Object.keys(one).length === 1);
      return isPlain ? listCell(value.map((one: Container) => one['device'])) : undefined;
    }
    default:
      return form satisfies never;
  }
}

function listCell(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((one) => typeof one === 'string' && /^[^;\s]+$/.test(one)) ? value.join(';') : undefined;
}

/** Deletes a field, and the containers that become empty. */
function remove(root: unknown, path: Path): void {
  const [last] = path.slice(-1);
  const parentPath = path.slice(0, -1);
  const parent = valueAt(root, parentPath);
  if (last === undefined || !isContainer(parent)) return;
  if (Array.isArray(parent) && parent.length > 1) return;
  if (Array.isArray(parent)) parent.pop();
  else delete parent[String(last)];
  if (parentPath.length > 0 && Object.keys(parent).length === 0) remove(root, parentPath);
}

/** Writes the values of cells to `root`. */
function filled(root: unknown, cells: ReadonlyMap<string, string>): unknown {
  for (const { column, path, form } of hardwareColumns) {
    const cell = cells.get(column) ?? '';
    if (cell !== '') put(root, path, valueOf(cell, form));
  }
  return root;
}

function valueOf(cell: string, form: Form): unknown {
  const parts = (): string[] =>
    cell
      .split(';')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  switch (form) {
    case 'text':
      return cell;
    case 'boolean':
      return (
        { true: true, yes: true, '1': true, false: false, no: false, '0': false }[cell.toLowerCase()] ?? cell
      );
    case 'list':
      return parts();
    case 'disks':
      return parts().map((device) => ({ device }));
    default:
      return form satisfies never;
  }
}

function put(root: unknown, path: Path, value: unknown): void {
  let parent = root;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (!isContainer(parent)) return;
    if (!isContainer(parent[step])) parent[step] = typeof path[index + 1] === 'number' ? [] : {};
    parent = parent[step];
  }
  const last = path.at(-1);
  if (last !== undefined && isContainer(parent)) parent[last] = value;
}

export type RowResult =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly column: string; readonly message: string };

/** Builds the unvalidated object of a row. `cells` is by column. */
export function hardwareOf(cells: ReadonlyMap<string, string>, namespace: string): RowResult {
  const more = jsonCell(cells, 'more');
  const annotations = jsonCell(cells, 'annotations');
  const labels = labelsIn(cells.get('labels') ?? '');
  if (!more.ok) return more;
  if (!annotations.ok) return annotations;
  if (!labels.ok) return labels;
  const spec = withBmcKind(filled(more.value, cells));
  const metadata = {
    name: cells.get('name') ?? '',
    namespace: cells.get('namespace') || namespace,
    ...(isEmpty(labels.value) ? {} : { labels: labels.value }),
    ...(isEmpty(annotations.value) ? {} : { annotations: annotations.value }),
  };
  const apiVersion = `${hardwareKind.group}/${hardwareKind.version}`;
  return { ok: true, value: { apiVersion, kind: hardwareKind.kind, metadata, spec } };
}

/** A BMC that only has a name is a Machine. */
function withBmcKind(spec: unknown): unknown {
  if (!isRecord(spec) || !isRecord(spec['bmcRef']) || spec['bmcRef']['kind'] !== undefined) return spec;
  return { ...spec, bmcRef: { apiGroup: 'bmc.tinkerbell.org', kind: 'Machine', ...spec['bmcRef'] } };
}

function jsonCell(cells: ReadonlyMap<string, string>, column: string): RowResult {
  const text = cells.get(column) ?? '';
  if (text === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { ok: true, value };
  } catch {
    // Reported below.
  }
  return { ok: false, column, message: `${JSON.stringify(text.slice(0, 80))}: must be a JSON object` };
}

function labelsIn(text: string): RowResult {
  const pairs = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => /^([^=]+)=(.*)$/.exec(part) ?? part);
  const wrong = pairs.find((pair) => typeof pair === 'string');
  if (wrong !== undefined)
    return { ok: false, column: 'labels', message: `${JSON.stringify(wrong)}: must be key=value;key=value` };
  return {
    ok: true,
    value: Object.fromEntries(pairs.map((pair) => [String(pair[1]).trim(), String(pair[2]).trim()])),
  };
}

/** Returns the column of a problem; `more` for fields without their own column. */
export function columnAt(path: Path): string {
  const [first, second, ...rest] = path;
  if (first === 'metadata') return String(second ?? 'name');
  if (first !== 'spec' || second === undefined) return 'more';
  const inSpec = [second, ...rest].map(String);
  const found = hardwareColumns.find(({ path: own }) => {
    const shorter = Math.min(own.length, inSpec.length);
    return shorter >= own.length && own.every((step, index) => String(step) === inSpec[index]);
  });
  return found?.column ?? 'more';
}
