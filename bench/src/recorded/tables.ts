/** Markdown of recorded results. */
import type { Row } from '../benchmark.ts';
import { cellsOf } from '../report.ts';
import type { BenchRecord } from './records.ts';

/** Every row of every benchmark, with what the machine did meanwhile. */
export function allTables(records: readonly BenchRecord[]): string {
  return records.map((record) => `${headingOf(record)}\n\n${tableOf(record.rows)}\n`).join('\n');
}

function headingOf({ bench, mode, date, cores, load, stealPercent }: BenchRecord): string {
  const how = mode === 'usual' ? '' : ` with \`--${mode}\``;
  const busy = `load ${load} before it, ${stealPercent} % of the processor time withheld by the host`;
  return `### ${bench}\n\nMeasured ${date}${how} on ${cores} cores: ${busy}.`;
}

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const [name, value, peerValue, peer, ratio, goal, verdict] = cellsOf(row);
    const beside = peer === '' ? '' : `${peerValue} (${peer})`;
    return `| ${[name, value, beside, ratio, [goal, verdict].filter((text) => text !== '').join(', ')].join(' | ')} |`;
  });
  return ['| | ours | peer | ratio | goal |', '|---|---|---|---|---|', ...lines].join('\n');
}
