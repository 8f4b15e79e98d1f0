/** Reads `lvm ... --reportformat json`: lvmreport(7). */
import { ActionError, programText, type ActionContext } from '@tinkerbell/action-kit';

import { lvmArguments, LVM_ENVIRONMENT } from './lvm-command.ts';

export type ReportRow = Readonly<Record<string, string>>;

export interface ReportRequest {
  readonly command: 'pvs' | 'vgs' | 'lvs';
  readonly fields: readonly string[];
  /** False for a report of what is stored, without the kernel. */
  readonly activate: boolean;
}

/** Sizes are bytes. */
export async function lvmReport(
  { command, fields, activate }: ReportRequest,
  { signal }: Pick<ActionContext, 'signal'>,
): Promise<readonly ReportRow[]> {
  const options = ['--reportformat', 'json', '--units', 'b', '--nosuffix', '--options', fields.join(',')];
  const text = await programText('lvm', lvmArguments([command, ...options], activate), {
    signal,
    environment: LVM_ENVIRONMENT,
  });
  const rows = rowsIn(text, { list: command.slice(0, 2), fields });
  if (rows !== undefined) return rows;
  throw new ActionError(`lvm ${command} printed something else than a report: ${text.slice(0, 200)}`);
}

/** Returns undefined for a text that is not a report with these fields. */
export function rowsIn(
  text: string,
  { list, fields }: { readonly list: string; readonly fields: readonly string[] },
): readonly ReportRow[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const reports = isObject(document) ? document['report'] : undefined;
    if (!Array.isArray(reports)) return undefined;
    const rows: unknown[] = [];
    for (const report of reports) {
      const own: unknown = isObject(report) ? report[list] : undefined;
      if (!Array.isArray(own)) return undefined;
      rows.push(...own);
    }
    const read = rows.map((row) => rowOf(row, fields));
    return read.every((row) => row !== undefined) ? read : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(value: unknown, fields: readonly string[]): ReportRow | undefined {
  if (!isObject(value)) return undefined;
  const pairs: [string, string][] = [];
  for (const field of fields) {
    const text = value[field];
    if (typeof text !== 'string') return undefined;
    pairs.push([field, text]);
  }
  return Object.fromEntries(pairs);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
