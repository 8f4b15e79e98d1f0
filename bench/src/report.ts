import type { Row } from './benchmark.ts';

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

/** Returns the one line that a program reads. */
export function jsonLine(bench: string, rows: readonly Row[]): string {
  return `${JSON.stringify({ bench, rows: rows.map((row) => rounded(row)) })}\n`;
}

/** Name, value, value of the peer, peer, ratio, goal and verdict as text. */
export function cellsOf({ name, value, unit, peer, peerValue, ratio, goal, met }: Row): string[] {
  return [
    name,
    `${shown(value)} ${unit}`,
    peerValue === null ? '' : `${shown(peerValue)} ${unit}`,
    peer ?? '',
    ratio === null ? '' : `${ratio.toFixed(2)} x`,
    goal,
    verdictOf(met),
  ];
}

function verdictOf(met: boolean | null): string {
  if (met === null) return '';
  return met ? 'met' : 'MISSED';
}

function isNumeric(column: number): boolean {
  return column === 1 || column === 2 || column === 4;
}

/** Writes three significant digits, and whole numbers above a hundred. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** With five significant digits. */
export function rounded(row: Row): Row {
  const round = (value: number | null) => (value === null ? null : Number(value.toPrecision(5)));
  return { ...row, value: round(row.value) ?? 0, peerValue: round(row.peerValue), ratio: round(row.ratio) };
}
