import type { Command } from 'commander';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { timestampOf } from '../events/event-line.ts';
import { usageFailure } from '../failure.ts';
import { followed } from '../client/followed.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

interface AuditOptions {
  readonly watch?: boolean;
  readonly user?: string;
  readonly limit: string;
  readonly json?: boolean;
}

const LIMIT_MAX = 200_000;

export function addAudit(program: Command, terminal: Terminal): void {
  program
    .command('audit')
    .description('show who changed objects over the API, including rejected requests')
    .option('-w, --watch', 'keep printing new records, also across server restarts')
    .option('--user <name>', 'only records of this user')
    .option('--limit <number>', 'number of records to print, newest last', '100')
    .option('--json', 'print one JSON record per line')
    .addHelpText(
      'after',
      examples(
        'tink audit                              the last 100 writes',
        'tink audit -w --user oidc:ann',
        'tink audit --limit 1000 --json | jq -r "select(.details.code >= 400) | .message"',
      ),
    )
    .action(async (options: AuditOptions, command: Command) =>
      audit(await sessionOf(command, terminal), options),
    );
}

async function audit(session: Session, options: AuditOptions): Promise<void> {
  const limit = limitOf(options.limit);
  const { client, terminal } = session;
  const isAsked = ({ details }: JournalRecord): boolean =>
    options.user === undefined || details?.['user'] === options.user;
  const print = printerFor(terminal, options);
  let last = 0;
  let newest: JournalRecord[] = [];
  for await (const record of await client.audit(0, false)) {
    last = record.sequence;
    if (isAsked(record)) newest.push(record);
    // Removes in batches, because each removal moves all remaining records.
    if (newest.length >= 2 * limit + 1000) newest = newest.slice(-limit);
  }
  for (const record of newest.slice(Math.max(0, newest.length - limit))) print(record);
  if (options.watch !== true) {
    if (newest.length === 0) terminal.err('no writes yet; use -w to wait for them\n');
    return;
  }
  for await (const record of followed(session, () => client.audit(last, true))) {
    last = record.sequence;
    if (isAsked(record)) print(record);
  }
}

function limitOf(limit: string): number {
  const number = Number(limit);
  if (/^\d{1,6}$/.test(limit) && number >= 1 && number <= LIMIT_MAX) return number;
  throw usageFailure(`--limit must be a whole number from 1 to ${LIMIT_MAX}, not ${JSON.stringify(limit)}`);
}

function printerFor({ out }: Terminal, { json }: AuditOptions): (record: JournalRecord) => void {
  if (json === true) return (record) => out(`${JSON.stringify(record)}\n`);
  return ({ atMs, message, details }) => {
    const from = details?.['peer'] === undefined ? '' : `  (from ${String(details['peer'])})`;
    out(`${timestampOf(atMs)}  ${printable(message + from)}\n`);
  };
}
