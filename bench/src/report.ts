import { numberText, type Row } from './benchmark.ts';

const COLUMNS = ['', 'value', 'peer', '', 'ratio', 'goal', ''] as const;

/**
 * Returns rows as aligned text: value and peer with their unit, how many times better ours is, and the goal.
 */
export function tableOf(rows: readonly Row[]): string {
  const cells = [COLUMNS, ...rows.map((row) => cellsOf(row))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) =>
        isNumeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Says how many goals were missed, and how many of them no program here could meet. Empty when all were met. */
export function missedText(rows: readonly Row[]): string {
  const missed = rows.filter(({ met }) => met === false);
  const explained = missed.filter(({ floor }) => floor !== undefined);
  if (missed.length === 0) return '';
  return `${missed.length} goals missed, ${explained.length} of them also by a minimal program\n`;
}

/** Returns the one line that a program reads. */
export function jsonLine(bench: string, rows: readonly Row[]): string {
  return `${JSON.stringify({ bench, rows: rows.map((row) => rounded(row)) })}\n`;
}

/** Name, value, value of the peer, peer, ratio, goal and verdict as text. */
export function cellsOf(row: Row): string[] {
  const { name, value, unit, peer, peerValue, ratio, goal } = row;
  return [
    name,
    `${numberText(value)} ${unit}`.trimEnd(),
    peerValue === null ? '' : `${numberText(peerValue)} ${unit}`.trimEnd(),
    peer ?? '',
    ratio === null ? '' : `${ratio.toFixed(2)} x`,
    goal,
    verdictOf(row),
  ];
}

function verdictOf({ met, floor }: Row): string {
  if (met === null) return '';
  if (met) return 'met';
  return floor === undefined ? 'MISSED' : `missed, as by ${floor}`;
}

function isNumeric(column: number): boolean {
  return column === 1 || column === 2 || column === 4;
}

/** With five significant digits. */
export function rounded(row: Row): Row {
  const round = (value: number | null) => (value === null ? null : Number(value.toPrecision(5)));
  return { ...row, value: round(row.value) ?? 0, peerValue: round(row.peerValue), ratio: round(row.ratio) };
}
