/** Formats a timeline record as a line of text. */
import type { JournalRecord, JournalSource } from '@tinkerbell/store-contract';
import { printable } from '../output/printable.ts';

export interface EventStyle {
  readonly colour: boolean;
  /** Prefixes the machine or workflow of the record, for the timelines of several. */
  readonly subject: ((record: JournalRecord) => string) | undefined;
}

const SOURCE_WIDTH = 8;
const EVENT_WIDTH = 19;
const SUBJECT_WIDTH = 16;

const sourceColours: Readonly<Record<JournalSource, number>> = {
  dhcp: 36,
  tftp: 34,
  http: 34,
  image: 35,
  syslog: 35,
  agent: 33,
  workflow: 32,
  bmc: 95,
  server: 90,
  audit: 90,
};
const DIM = 90;
const RED = 31;
const GREEN = 32;
const BAD = /ignored|failed|refused|broken-off|timed-out|not-found|unusable/;
const GOOD = /succeeded|completed|file-sent/;

/** Formats `12:00:01.123  dhcp      offer-sent           request from …`, in local time. */
export function eventLine(record: JournalRecord, style: EventStyle): string {
  const paint = (code: number | undefined, text: string): string =>
    style.colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  const event = printable(record.event);
  const parts = [
    paint(DIM, timeOf(record.atMs)),
    ...(style.subject === undefined ? [] : [printable(style.subject(record)).padEnd(SUBJECT_WIDTH)]),
    paint(sourceColours[record.source], printable(record.source).padEnd(SOURCE_WIDTH)),
    paint(eventColour(record), event.padEnd(EVENT_WIDTH)),
    printable(record.message),
  ];
  return parts.join('  ');
}

function eventColour({ event, details }: JournalRecord): number | undefined {
  const state = String(details?.['to'] ?? '');
  if (BAD.test(event) || state === 'FAILED' || state === 'TIMEOUT') return RED;
  return GOOD.test(event) || state === 'SUCCESS' ? GREEN : undefined;
}

/** Formats `2026-11-20 12:00:01.123`, in local time. */
export function timestampOf(atMs: number): string {
  return `${dayOf(atMs)} ${timeOf(atMs)}`;
}

/** Formats `12:00:01.123`, in local time. */
export function timeOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const milliseconds = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
}

/** Formats `2026-11-20`, in local time. */
export function dayOf(atMs: number): string {
  const at = new Date(atMs);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}
