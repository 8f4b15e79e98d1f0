/** Formats the page of one boot as text and as JSON. */
import {
  stages,
  stageTimes,
  stepsOf,
  verdictOn,
  type BootStep,
  type BootVerdict,
  type Stage,
  type StagedRecord,
} from '@tinkerbell/diagnosis';
import { timestampOf } from '../events/event-line.ts';
import { printable } from '../output/printable.ts';
import { alignedText } from '../output/table-text.ts';

export interface BootPage {
  /** Time of the first packet, milliseconds since the Unix epoch. */
  readonly startedMs: number;
  readonly totalMs: number;
  readonly verdict: BootVerdict;
  readonly stages: readonly { readonly stage: Stage; readonly atMs: number; readonly durationMs: number }[];
  readonly steps: readonly BootStep[];
  /** What the machine printed last on its serial console, if it is recorded. */
  readonly printed: readonly string[];
}

const PRINTED_LINES = 12;

/** `printed` are lines of the serial console from the start of this boot to the start of the next one. */
export function bootPage(boot: readonly StagedRecord[], printed: readonly string[] = []): BootPage {
  const startedMs = boot[0]?.atMs ?? 0;
  return {
    startedMs,
    totalMs: (boot.at(-1)?.atMs ?? startedMs) - startedMs,
    verdict: verdictOn(boot),
    stages: stageTimes(boot),
    steps: stepsOf(boot),
    printed: printed.slice(-PRINTED_LINES),
  };
}

export function headlineOf(machine: string, { verdict }: BootPage): string {
  const next = verdict.next === undefined ? '' : `  -> ${printable(verdict.next)}\n`;
  return `${machine}: ${printable(verdict.text)}\n${next}`;
}

export function bootText(machine: string, page: BootPage): string {
  const begun = `first packet ${timestampOf(page.startedMs)}`;
  // Includes all records. A record out of order starts no stage but belongs to the boot.
  const shown = stages.map((stage) => {
    const rows = page.steps.filter((step) => step.stage === stage).map(stepCells);
    return rows.length === 0 ? '' : `\n${stage}\n${alignedText(rows)}`;
  });
  return [
    headlineOf(machine, page),
    `  ${begun}, ${seconds(page.totalMs)} in all\n`,
    ...shown,
    timesText(page),
    printedText(page),
  ].join('');
}

function stepCells({
  atMs,
  durationMs,
  bytes,
  bytesPerSecond,
  event,
  message,
  count,
  why,
}: BootStep): string[] {
  const times = count > 1 ? `${count} times, last: ` : '';
  return [
    '',
    `+${seconds(atMs)}`,
    durationMs === undefined ? '' : seconds(durationMs),
    bytes === undefined ? '' : `${megabytes(bytes)} MB`,
    bytesPerSecond === undefined ? '' : `${megabytes(bytesPerSecond)} MB/s`,
    event,
    printable(`${times}${message}${why === undefined ? '' : ` (${why})`}`),
  ];
}

const BAR_WIDTH = 30;

function timesText({ stages, totalMs }: BootPage): string {
  const rows = stages.map(({ stage, durationMs }) => {
    const share = totalMs === 0 ? 0 : durationMs / totalMs;
    return [
      '',
      stage,
      seconds(durationMs),
      `${Math.round(100 * share)} %`,
      '#'.repeat(Math.round(BAR_WIDTH * share)),
    ];
  });
  return `\nTime by stage\n${alignedText(rows)}`;
}

/** An installed machine needs no explanation. */
function printedText({ printed, verdict }: BootPage): string {
  if (printed.length === 0 || verdict.state === 'done') return '';
  const lines = printed.map((line) => `  ${printable(line)}\n`);
  return `\nLast lines on its serial console\n${lines.join('')}`;
}

function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return `${value.toFixed(value < 100 ? 2 : 0)} s`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 100_000 ? 3 : 1);
}
