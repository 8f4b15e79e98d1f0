/**
 * Reads machines from CSV (RFC 4180), as a spreadsheet copies them: with commas, semicolons or tabs. The columns are those of
 * `tink import`, as far as the form has them. Pure.
 */
import { addressWith, emptyForm, problemsOf, type MachineForm } from './machine-form.ts';

export interface CsvRow {
  /** From 1. */
  readonly line: number;
  readonly form: MachineForm;
  /** Why it cannot be registered, or empty. */
  readonly problem: string;
}

export type ReadCsv = { readonly rows: readonly CsvRow[] } | { readonly problem: string };

type CsvField = keyof MachineForm | 'netmask';

const names: Readonly<Record<string, CsvField>> = {
  name: 'name',
  namespace: 'namespace',
  mac: 'mac',
  address: 'address',
  ip: 'address',
  netmask: 'netmask',
  gateway: 'gateway',
  disk: 'disk',
  disks: 'disk',
};
const HEADER_EXAMPLE = 'name,mac,ip,netmask,gateway,disks';

export function readMachineCsv(text: string): ReadCsv {
  const lines = recordsIn(text);
  const [header, ...records] = lines;
  if (header === undefined) return { rows: [] };
  const fields = header.cells.map((cell) => names[cell.trim().toLowerCase()]);
  const unknown = header.cells.find((_, index) => fields[index] === undefined);
  if (unknown !== undefined)
    return {
      problem: `the column ${JSON.stringify(unknown)} is unknown; the first line must be like ${HEADER_EXAMPLE}`,
    };
  if (!fields.includes('mac'))
    return { problem: `the first line must name the column mac, like ${HEADER_EXAMPLE}` };
  return { rows: records.map(({ line, cells }) => rowOf(line, cells, fields)) };
}

function rowOf(line: number, cells: readonly string[], fields: readonly (CsvField | undefined)[]): CsvRow {
  const given = fields.flatMap((field, index) =>
    field === undefined ? [] : [[field, (cells[index] ?? '').trim()]],
  );
  const filled: Partial<Record<CsvField, string>> = Object.fromEntries(
    given.filter(([, value]) => value !== ''),
  );
  const { netmask, ...others } = filled;
  const form: MachineForm = { ...emptyForm, ...others, address: addressWith(others.address ?? '', netmask) };
  const named =
    form.name === '' ? { ...form, name: `machine-${form.mac.toLowerCase().replaceAll(/[:.]/g, '-')}` } : form;
  const problems = Object.entries(problemsOf(named)).map(([field, message]) => `${field}: ${message}`);
  const tooMany = cells.length > fields.length ? ['more cells than columns'] : [];
  return { line, form: named, problem: [...problems, ...tooMany].join('; ') };
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Quoted cells may contain separators, line ends and doubled quotes. */
function recordsIn(text: string): readonly CsvRecord[] {
  const separator = [',', ';', '\t'].find((one) => (text.split('\n')[0] ?? '').includes(one)) ?? ',';
  const tokens = text.matchAll(/"((?:[^"]|"")*)"|\r?\n|[,;\t]|[^",;\t\r\n]+|./gs);
  const records: { line: number; cells: string[] }[] = [{ line: 1, cells: [''] }];
  let line = 1;
  for (const [token, quoted] of tokens) {
    const record = records.at(-1);
    if (record === undefined) break;
    line += token.split('\n').length - 1;
    if (token === separator) record.cells.push('');
    else if (/^\r?\n$/.test(token)) records.push({ line, cells: [''] });
    else record.cells.push(`${record.cells.pop() ?? ''}${quoted?.replaceAll('""', '"') ?? token}`);
  }
  return records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
}
