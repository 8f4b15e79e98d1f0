/** The results of the suite as a table in docs/reference/diagnosis.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withCacheLock } from '@tinkerbell/hook';
import { cacheDirectory } from '../bare-machine.ts';

const PAGE = join(import.meta.dirname, '../../../docs/reference/diagnosis.md');
/** `npm run generate` keeps what is between these lines. */
const RESULTS = /^<!-- results -->\n(.*)^<!-- end of results -->\n/ms;
const HEADER = ['fault', 'firmware', 'expected', 'found', 'seconds'];

/** One machine that was booted. */
export interface ResultRow {
  readonly name: string;
  readonly firmware: string;
  /** The id of a cause, or `nothing`. */
  readonly expected: string;
  readonly found: string;
  /** From the stand-still to the verdict, by the clock of the server. */
  readonly seconds?: number;
}

/** Writes the rows into the page. Rows of other machines stay, and several suites may run at the same time. */
export function addResults(rows: readonly ResultRow[]): Promise<void> {
  return withCacheLock(cacheDirectory, () => addToPage(rows));
}

async function addToPage(rows: readonly ResultRow[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const lines = new Map(
    (RESULTS.exec(page)?.[1] ?? '')
      .split('\n')
      .flatMap((line) => (line.startsWith('| ') ? [[nameIn(line), line] as const] : [])),
  );
  for (const name of [HEADER[0] ?? '', '---']) lines.delete(name);
  for (const row of rows) lines.set(row.name, lineOf(row));
  const machines = [...lines.values()];
  const isHealthy = (line: string): boolean => line.split(' | ')[2] === 'nothing';
  const faulty = machines.filter((line) => !isHealthy(line));
  const healthy = machines.filter(isHealthy);
  const text = `${faulty.filter(isRight).length} of ${faulty.length} faults were named right, and ${healthy.filter(isRight).length} of ${healthy.length} healthy boots had no finding.

${[HEADER, HEADER.map(() => '---')].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
${[...faulty, ...healthy].join('\n')}
`;
  await writeFile(
    PAGE,
    page.replace(RESULTS, () => `<!-- results -->\n${text}<!-- end of results -->\n`),
  );
}

const VERDICT_SECONDS = 60;

/** The right cause, and in time. */
function isRight(line: string): boolean {
  const [expected, found, seconds = ''] = line.replace(/ \|$/, '').split(' | ').slice(2);
  return expected === found && !(Number(seconds) > VERDICT_SECONDS);
}

function nameIn(line: string): string {
  return line.split(' | ')[0]?.slice(2) ?? '';
}

function lineOf({ name, firmware, expected, found, seconds }: ResultRow): string {
  return `| ${[name, firmware, expected, found, seconds === undefined ? '' : seconds.toFixed(1)].join(' | ')} |`;
}
