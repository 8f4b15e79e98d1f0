import type { Command } from 'commander';
import { workflowKind } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { timestampOf } from '../events/event-line.ts';
import { usageFailure } from '../failure.ts';
import { followed } from '../client/followed.ts';
import { existing } from '../client/machine-target.ts';
import { printable, printableWithTabs } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import { wantsColour, type Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

export interface LogsOptions {
  readonly follow?: boolean;
  readonly action?: string;
  readonly since?: string;
  readonly after?: string;
  readonly timestamps?: boolean;
  readonly json?: boolean;
}

export function withLogsOptions(command: Command): Command {
  return command
    .description('print the output of a workflow’s actions')
    .option('-f, --follow', 'keep printing new output, also across server restarts')
    .option('--action <name>', 'print only this action: ACTION or TASK/ACTION')
    .option('--since <time>', 'print only the last 90s, 10m, 1h, or records since an RFC 3339 time')
    .option('--after <sequence>', 'print only records after this sequence (--json prints sequences)')
    .option('--timestamps', 'print the time of each line')
    .option('--json', 'print one JSON record per line')
    .addHelpText(
      'after',
      examples(
        'tink logs m1-debian',
        'tink logs m1-debian -f --timestamps',
        'tink logs m1-debian --action "stream image" --since 10m',
        'tink logs m1-debian --json | jq -r .message',
      ),
    );
}

export function addLogs(program: Command, terminal: Terminal): void {
  withLogsOptions(program.command('logs <workflow>')).action(
    async (name: string, options: LogsOptions, command: Command) =>
      logs(await sessionOf(command, terminal), name, options),
  );
}

export async function logs(session: Session, name: string, options: LogsOptions): Promise<void> {
  const { client, terminal } = session;
  const sinceMs = sinceOf(options.since, terminal.clock.nowMs());
  let last = sequenceOf(options.after);
  const target = await existing(session, { kind: workflowKind, name });
  const filter = actionFilter(options.action);
  const open = (): Promise<AsyncIterable<JournalRecord>> =>
    client.log(target, { ...filter, after: last, follow: options.follow === true });
  const print = printerFor(terminal, options);
  let count = 0;
  for await (const record of options.follow === true ? followed(session, open) : await open()) {
    last = record.sequence;
    if (record.atMs < sinceMs) continue;
    count += 1;
    print(record);
  }
  if (count === 0 && options.follow !== true)
    terminal.err(`no output yet; use -f to wait for it, or "tink workflow events ${name}" for its events\n`);
}

function sequenceOf(after = '0'): number {
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw usageFailure(`--after must be a whole number, not ${JSON.stringify(after)}`);
}

/** Matches `ACTION` or `TASK/ACTION`. An action with a slash in its name needs its task. */
function actionFilter(word: string | undefined): { task?: string; action?: string } {
  const parts = /^(.+?)\s*\/\s*(.+)$/.exec(word ?? '');
  if (parts !== null) return { task: parts[1] ?? '', action: parts[2] ?? '' };
  return word === undefined ? {} : { action: word };
}

function sinceOf(since: string | undefined, nowMs: number): number {
  if (since === undefined) return 0;
  const atMs = /^\d{4}-/.test(since) ? Date.parse(since) : nowMs - secondsOf('--since', since) * 1000;
  if (Number.isNaN(atMs)) throw usageFailure(`--since: ${JSON.stringify(since)} is not an RFC 3339 time`);
  return atMs;
}

const DIM = '\u001b[90m';
const PLAIN = '\u001b[0m';

/** Prints the action's own lines, without terminal control characters. Prints headings with the action's name only on terminals. */
function printerFor(terminal: Terminal, options: LogsOptions): (record: JournalRecord) => void {
  if (options.json === true) return (record) => terminal.out(`${JSON.stringify(record)}\n`);
  let shown: string | undefined;
  return (record) => {
    const heading = headingOf(record);
    if (terminal.isTty && heading !== shown)
      terminal.styledOut(wantsColour(terminal) ? `${DIM}${heading}${PLAIN}\n` : `${heading}\n`);
    shown = heading;
    const time = options.timestamps === true ? `${timestampOf(record.atMs)}  ` : '';
    terminal.out(`${time}${printableWithTabs(record.message)}\n`);
  };
}

function headingOf({ details }: JournalRecord): string {
  const attempt = Number(details?.['attempt'] ?? 1);
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return printable(`--- ${String(details?.['task'] ?? '')} / ${String(details?.['action'] ?? '')}${again}`);
}
