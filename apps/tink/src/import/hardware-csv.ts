/** Reads Hardware from a CSV, or reports all errors by line and column. Pure. */
import { hardwareKind, nearest, validateResource, type Problem, type Resource } from '@tinkerbell/resources';
import { TinkFailure } from '../failure.ts';
import { csvLine, parseCsv, type CsvRecord } from './csv.ts';
import { columnAt, hardwareOf, rowHeader, rowOf } from './hardware-row.ts';

export interface ImportedObject {
  readonly resource: Resource;
  /** `machines.csv:17` */
  readonly place: string;
}

export interface Imported {
  readonly objects: readonly ImportedObject[];
  /** One error per line. */
  readonly problems: readonly string[];
}

const ROWS_MAX = 100_000;

export function hardwareFromCsv(text: string, file: string, namespace: string): Imported {
  const [header, ...records] = parseCsv(text, file);
  if (header === undefined)
    throw new TinkFailure(`${file} is empty`, {
      advice: 'tink import --example prints an example',
    });
  if (records.length > ROWS_MAX)
    throw new TinkFailure(`${file} has ${records.length} rows (limit: ${ROWS_MAX})`);
  const columns = columnsIn(header, file);
  const read = records.map((record) => objectOf(record, columns, { file, namespace }));
  const objects = read.flatMap(({ object }) => (object === undefined ? [] : [object]));
  return { objects, problems: [...read.flatMap(({ problems }) => problems), ...repeated(objects)] };
}

function columnsIn({ cells, line }: CsvRecord, file: string): readonly string[] {
  const columns = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = columns.find((column) => !rowHeader.includes(column));
  if (unknown !== undefined) {
    const close = nearest(unknown, rowHeader);
    const advice = close === undefined ? `known columns: ${rowHeader.join(', ')}` : `did you mean ${close}?`;
    throw new TinkFailure(`${file}:${line}: unknown column ${JSON.stringify(unknown)}`, { advice });
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new TinkFailure(`${file}:${line}: column ${twice} is duplicated`);
  if (!columns.includes('name')) throw new TinkFailure(`${file}:${line}: column "name" is missing`);
  return columns;
}

function objectOf(
  { line, cells }: CsvRecord,
  columns: readonly string[],
  { file, namespace }: { readonly file: string; readonly namespace: string },
): { object?: ImportedObject; problems: readonly string[] } {
  const place = `${file}:${line}`;
  if (cells.length > columns.length)
    return { problems: [`${place}: has ${cells.length} cells for ${columns.length} columns`] };
  const result = hardwareOf(new Map(columns.map((column, index) => [column, cells[index] ?? ''])), namespace);
  if (!result.ok) return { problems: [`${place}: column ${result.column}: ${result.message}`] };
  const validated = validateResource(result.value);
  if (!validated.ok) return { problems: validated.problems.map((one) => problemText(place, one)) };
  const { unknownFields, resource } = validated;
  if (unknownFields.length > 0) return { problems: unknownFields.map((one) => problemText(place, one)) };
  return { object: { resource, place }, problems: [] };
}

function problemText(place: string, { path, value, message }: Problem): string {
  const column = columnAt(path);
  const where = column === 'more' ? ` (${path.join('.')})` : '';
  const shown = value === undefined ? '' : `${JSON.stringify(value).slice(0, 80)}: `;
  return `${place}: column ${column}${where}: ${shown}${message}`;
}

/** Reports names that occur in two rows. */
export function repeated(objects: readonly ImportedObject[]): readonly string[] {
  const seen = new Map<string, string>();
  return objects.flatMap(({ resource: { metadata }, place }) => {
    const key = `${metadata.namespace}/${metadata.name}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, place);
    return first === undefined ? [] : [`${place}: column name: "${metadata.name}" is also in ${first}`];
  });
}

export function hardwareToCsv(objects: readonly Resource[]): string {
  return csvLine(rowHeader) + objects.map((object) => csvLine(rowOf(object))).join('');
}

/** Two example machines. */
export function exampleCsv(): string {
  const machine = (index: number): Resource => ({
    apiVersion: `${hardwareKind.group}/${hardwareKind.version}`,
    kind: hardwareKind.kind,
    metadata: { name: `m${index}`, namespace: 'default', labels: { rack: 'r7' } },
    spec: {
      interfaces: [
        {
          dhcp: {
            mac: `08:00:27:00:00:0${index}`,
            ip: { address: `192.168.56.1${index}`, netmask: '255.255.255.0', gateway: '192.168.56.1' },
            hostname: `m${index}`,
            name_servers: ['192.168.56.1', '1.1.1.1'],
          },
          netboot: { allowPXE: true, allowWorkflow: true },
        },
      ],
      disks: [{ device: '/dev/sda' }],
    },
  });
  return hardwareToCsv([machine(1), machine(2)]);
}
