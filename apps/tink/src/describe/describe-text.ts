/** Building blocks of `tink describe`: fields, sections, tables. */
import type { Resource } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { dayOf, eventLine } from '../events/event-line.ts';
import { printable } from '../output/printable.ts';
import { alignedText, labelsText } from '../output/table-text.ts';

export type Field = readonly [name: string, value: string | undefined];

/** Formats `Name:       m1`. Omits fields without a value. */
export function fieldsText(fields: readonly Field[]): string {
  const given = fields.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...given.map(([name]) => name.length)) + 3;
  return given.map(([name, value = '']) => `${`${name}:`.padEnd(width)}${printable(value)}\n`).join('');
}

/** Formats a title over indented text; empty if there is no text. */
export function section(title: string, text: string): string {
  if (text === '') return '';
  const indented = text.replace(/^(?=.)/gm, '  ');
  return `\n${title}:\n${indented}`;
}

/** Formats a table. Missing cells are empty. */
export type Row = readonly (string | undefined)[];

export function tableSection(title: string, header: readonly string[], rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => row.map((cell) => printable(cell ?? '')));
  return section(title, alignedText([header, ...lines]));
}

/** The first fields of every kind. */
export function identityFields({ metadata }: Resource): readonly Field[] {
  return [
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['Labels', metadata.labels === undefined ? undefined : labelsText(metadata.labels)],
    [
      'Annotations',
      metadata.annotations === undefined ? undefined : Object.keys(metadata.annotations).join(', '),
    ],
    ['Created', metadata.creationTimestamp],
    ['Being deleted', metadata.deletionTimestamp],
  ];
}

const LINES_SHOWN = 10;

/** Formats the last lines of a timeline, with the command that prints all of it. */
export function timelineSection(records: readonly JournalRecord[], command: string): string {
  const last = records.slice(-LINES_SHOWN);
  const [first] = last;
  if (first === undefined) return '';
  const lines = last
    .map((record) => `${eventLine(record, { colour: false, subject: undefined })}\n`)
    .join('');
  const all =
    records.length > last.length ? `, last ${last.length} of ${records.length}; all: ${command}` : '';
  return section(`Timeline of ${dayOf(first.atMs)}${all}`, lines);
}
