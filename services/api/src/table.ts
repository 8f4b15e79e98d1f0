/** Formats objects as the Table that `kubectl get` prints: Name, the kind's printer columns, Age. */
import {
  isOfKind,
  workflowKind,
  type Kind,
  type PrinterColumn,
  type Resource,
  type Workflow,
} from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import { shownState } from '@tinkerbell/workflow';
import { extraColumnsOf } from './extra-columns.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

export interface RowOptions {
  readonly kind: Kind;
  readonly nowMs: number;
  /** Content of each row beside its cells: `Metadata` (default), `Object` or `None`. */
  readonly includeObject: string;
  /** Returns the workflows of a Hardware; undefined to omit them. */
  readonly view?: Pick<View, 'workflowsByHardware'>;
}

export interface TableOptions extends RowOptions {
  readonly resourceVersion: string;
}

/** A table of one object, for watches. */
export function tableOf(resources: readonly Resource[], options: TableOptions): object {
  const { resourceVersion } = options;
  return {
    ...tableHead(options.kind),
    metadata: { resourceVersion },
    rows: resources.map((resource) => tableRow(resource, options)),
  };
}

/** Everything of a Table except its metadata and its rows. */
export function tableHead(kind: Kind): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly columnDefinitions: readonly object[];
} {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', description: 'Name of the object', priority: 0 },
      ...columnsOf(kind).map((column) => ({
        name: column.name,
        type: column.type,
        format: column.format === 'count' ? '' : (column.format ?? ''),
        description: column.description ?? column.jsonPath,
        priority: column.priority ?? 0,
      })),
      ...extraColumnsOf(kind).map(({ column }) => column),
      { name: 'Age', type: 'string', format: '', description: 'Time since it was created', priority: 0 },
    ],
  };
}

export function tableRow(resource: Resource, { kind, nowMs, includeObject, view }: RowOptions): object {
  return {
    cells: [
      resource.metadata.name,
      ...columnsOf(kind).map((column) =>
        column.jsonPath === STATE ? stateOf(resource, view) : cellOf(resource, column, nowMs),
      ),
      ...extraColumnsOf(kind).map((extra) => extra.cellOf(resource)),
      ageOf(resource.metadata.creationTimestamp, nowMs),
    ],
    ...rowObject(resource, includeObject),
  };
}

function rowObject(resource: Resource, include: string): object {
  if (include === 'None') return {};
  if (include === 'Object') return { object: resource };
  return {
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: resource.metadata },
  };
}

const STATE = '.status.state';

/** Only operators set a Hardware's own state. If it is empty, the state of its newest workflow is shown. */
function stateOf(resource: Resource, view: RowOptions['view']): unknown {
  if (isOfKind(resource, workflowKind)) return shownState(resource.status);
  const own = valueAt(resource, STATE);
  if (resource.kind !== 'Hardware' || own !== '' || view === undefined) return own;
  const { namespace, name } = resource.metadata;
  const [newest] = view
    .workflowsByHardware(namespace, name)
    .toSorted((one, other) => createdAt(other).localeCompare(createdAt(one)));
  return newest === undefined ? 'no workflow' : shownState(newest.status) || 'not started';
}

function createdAt({ metadata }: Workflow): string {
  return metadata.creationTimestamp ?? '';
}

/** Omits a definition's own age column, because ours exists already. */
function columnsOf({ printerColumns }: Kind): readonly PrinterColumn[] {
  return printerColumns.filter(
    ({ name, jsonPath }) => name.toLowerCase() !== 'age' || jsonPath !== '.metadata.creationTimestamp',
  );
}

function cellOf(resource: Resource, { jsonPath, type, format }: PrinterColumn, nowMs: number): unknown {
  const value = valueAt(resource, jsonPath);
  if (format === 'count') return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  if (type === 'date') return typeof value === 'string' && value !== '' ? ageOf(value, nowMs) : '';
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

/** Evaluates a JSONPath of printer columns: field names, indexes, and `[?(@.type=="Ready")]`. */
function valueAt(resource: Resource, jsonPath: string): unknown {
  let value: unknown = resource;
  for (const step of stepsOf(jsonPath)) {
    value = stepInto(value, step);
    if (value === undefined || value === null) return '';
  }
  return value;
}

const steps =
  /\.([A-Za-z0-9_-]+)|\['([^']+)'\]|\[(\d+)\]|\[\?\(@\.([A-Za-z0-9_.-]+)\s*==\s*["']([^"']*)["']\)\]/g;

/** Caches paths of columns, which are few and read for each row. */
const parsedPaths = new Map<string, readonly RegExpExecArray[]>();
const PATHS_MAX = 1000;

function stepsOf(jsonPath: string): readonly RegExpExecArray[] {
  let parsed = parsedPaths.get(jsonPath);
  if (parsed === undefined) {
    if (parsedPaths.size >= PATHS_MAX) parsedPaths.clear();
    parsed = [...jsonPath.replaceAll('\\.', '\0').matchAll(steps)];
    parsedPaths.set(jsonPath, parsed);
  }
  return parsed;
}

function stepInto(value: unknown, [, plain, quoted, index, field, wanted]: RegExpExecArray): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (index !== undefined) return Array.isArray(value) ? value[Number(index)] : undefined;
  if (field !== undefined)
    return Array.isArray(value) ? value.find((one) => ownField(one, field) === wanted) : undefined;
  return ownField(value, (plain ?? quoted ?? '').replaceAll('\0', '.'));
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** Formats `5s`, `3m`, `2h`, `4d`, `1y`: the two largest units where kubectl shows two. */
export function ageOf(created: string | undefined, nowMs: number): string {
  if (created === undefined) return '<unknown>';
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(created)) / 1000));
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return withRest(seconds, [MINUTE, 'm'], [1, 's']);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return withRest(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return withRest(seconds, [DAY, 'd'], [HOUR, 'h']);
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return withRest(seconds, [YEAR, 'y'], [DAY, 'd']);
  return `${Math.floor(seconds / YEAR)}y`;
}

type Unit = readonly [seconds: number, letter: string];

function withRest(seconds: number, large: Unit, small: Unit): string {
  const whole = Math.floor(seconds / large[0]);
  const rest = Math.floor((seconds - whole * large[0]) / small[0]);
  return rest === 0 ? `${whole}${large[1]}` : `${whole}${large[1]}${rest}${small[1]}`;
}
