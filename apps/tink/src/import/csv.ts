/** RFC 4180: parses records of fields, each with the line where it starts. Pure. */
import { TinkFailure } from '../failure.ts';

export interface CsvRecord {
  /** First line of the record, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Skips empty lines. Throws a TinkFailure that names the line. */
export function parseCsv(text: string, file: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let line = 1;
  let startLine = 1;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at <= text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at, `${file}:${line}`) : plainCell(text, at);
    cells.push(cell.value);
    line += cell.breaks;
    at = cell.next;
    if (text[at] === ',') {
      at++;
      continue;
    }
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new TinkFailure(`${file}:${line}: expected "," or the end of the line after a closing quote`);
    if (cells.some((one) => one !== '') || cells.length > 1) records.push({ line: startLine, cells });
    cells = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    startLine = line;
  }
  return records;
}

interface Cell {
  readonly value: string;
  readonly next: number;
  /** Number of line breaks in the record. */
  readonly breaks: number;
}

function plainCell(text: string, start: number): Cell {
  const end = /[,\r\n]/g;
  end.lastIndex = start;
  const next = end.exec(text)?.index ?? text.length;
  return { value: text.slice(start, next).trim(), next, breaks: 0 };
}

function quotedCell(text: string, start: number, place: string): Cell {
  let value = '';
  for (let at = start + 1; at < text.length;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) break;
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { value, next: quote + 1, breaks: value.split('\n').length - 1 };
    value += '"';
    at = quote + 2;
  }
  throw new TinkFailure(`${place}: a quote is not closed`);
}

/** Formats one record with its line break. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
