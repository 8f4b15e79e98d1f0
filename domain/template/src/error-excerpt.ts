/** The number of lines shown before and after the faulty one. */
const LINES_AROUND = 2;
/** Longer lines are cut, because the excerpt is for people. */
const LINE_LENGTH_MAX = 160;

/**
 * Returns the lines around a place, each with its number. `>` precedes the faulty line, and `^` is below its
 * column.
 */
export function excerptOf(source: string, line: number, column: number): string {
  const lines = source.split('\n');
  const first = Math.max(1, line - LINES_AROUND);
  const last = Math.min(lines.length, line + LINES_AROUND);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const text = lines[number - 1] ?? '';
    const mark = number === line ? '>' : ' ';
    shown.push(`${mark} ${String(number).padStart(width)} | ${cut(text)}`.trimEnd());
    if (number === line && column <= LINE_LENGTH_MAX) {
      shown.push(`${' '.repeat(width + 3)}| ${text.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`);
    }
  }
  return shown.join('\n');
}

function cut(line: string): string {
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}...` : line;
}
