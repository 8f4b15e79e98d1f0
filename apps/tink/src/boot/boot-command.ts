import type { Command } from 'commander';
import { bootsIn, type StagedRecord } from '@tinkerbell/diagnosis';
import { hardwareKind } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { bootPage, bootText, headlineOf, type BootPage } from './boot-page.ts';
import type { ObjectName } from '../client/client.ts';
import { ApiFailure } from '../client/server-failure.ts';
import { usageFailure } from '../failure.ts';
import { resumeOptions } from '../client/followed.ts';
import { hardwareWithMac, macIn } from '../workflow/hardware-map.ts';
import { machineNamed } from '../client/machine-target.ts';
import { paintedHeadline } from '../output/colour.ts';
import { withoutControls } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import { wantsColour, type Terminal } from '../output/terminal.ts';
import { unknownMachine, unknownText, type ListedMachine } from '../unknown/unknown-machines.ts';
import { followTimelines, readTimelines } from '../client/timelines.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

interface BootOptions {
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly count: string;
}

export function addBoot(program: Command, terminal: Terminal): void {
  program
    .command('boot <machine>')
    .description(
      'show the last boot of a machine: how far it got, why it stopped, and the time of each stage',
    )
    .option('-w, --watch', 'print it again after each change')
    .option('--json', 'print one JSON document per boot')
    .option('-c, --count <number>', 'number of boots to show, newest last', '1')
    .addHelpText(
      'after',
      examples(
        'tink boot machine-1',
        'tink boot 08:00:27:9e:f5:3a -w',
        'tink boot machine-1 --count 3 --json',
      ),
    )
    .action(async (machine: string, options: BootOptions, command: Command) =>
      boot(await sessionOf(command, terminal), machine, options),
    );
}

async function boot(session: Session, machine: string, options: BootOptions): Promise<void> {
  const count = Number(options.count);
  if (!(Number.isInteger(count) && count >= 1))
    throw usageFailure(`--count must be a whole number of at least 1, not ${JSON.stringify(options.count)}`);
  const { client, terminal } = session;
  const stranger = await strangerNamed(session, machine);
  if (stranger !== undefined)
    return terminal.out(options.json === true ? `${JSON.stringify(stranger)}\n` : unknownText(stranger));
  const target = await machineNamed(session, machine);
  const records = await allRecords(session, target);
  const printedBy = printedReader(session, target);
  const print = shower(terminal, target.name, options);
  const show = async (): Promise<void> => {
    const boots = bootsIn(records).slice(-count);
    print(boots, await printedBy(boots[0]?.[0]));
  };
  await show();
  if (options.watch !== true) return;
  const resume = resumeOptions(session, (text) => terminal.err(`${text}\n`));
  const after = records.at(-1)?.sequence ?? 0;
  for await (const record of followTimelines(client, [target], { ...resume, after })) {
    records.push(record);
    await show();
  }
}

/**
 * Reads the lines of the serial console since a record. Each call reads those that are new. There are none on an older server, and
 * for a user who may not read them.
 */
function printedReader({ client }: Session, target: ObjectName) {
  const lines: JournalRecord[] = [];
  return async (since: Pick<StagedRecord, 'sequence'> | undefined): Promise<readonly JournalRecord[]> => {
    if (since === undefined) return [];
    const after = Math.max(since.sequence, lines.at(-1)?.sequence ?? 0);
    try {
      for await (const line of await client.log(target, { after })) lines.push(line);
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure) || ![403, 404].includes(thrown.code)) throw thrown;
    }
    return lines;
  };
}

/** A machine named by its MAC that asks to boot and has no Hardware. */
async function strangerNamed(session: Session, machine: string): Promise<ListedMachine | undefined> {
  const mac = macIn(machine);
  if (mac === undefined) return undefined;
  const { items } = await session.client.list(hardwareKind, {});
  if (hardwareWithMac(mac, items) !== undefined) return undefined;
  return unknownMachine(session, mac);
}

/** Reads to the last page. The server returns the records in pages, oldest first, and the last boot is on the last page. */
async function allRecords({ client }: Session, target: ObjectName): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for (;;) {
    const more = await readTimelines(client, [target], records.at(-1)?.sequence ?? 0);
    if (more.length === 0) return records;
    for (const record of more) records.push(record);
  }
}

const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/** Prints the page. If the output is not a terminal, a watch prints only the top of the page when it changes. */
function shower(
  terminal: Terminal,
  name: string,
  { watch, json }: Pick<BootOptions, 'watch' | 'json'>,
): (boots: readonly (readonly StagedRecord[])[], printed: readonly JournalRecord[]) => void {
  let before: string | undefined;
  const printText = watch === true && terminal.isTty ? printScreen : printLines;
  const print = json ? printJson : printText;
  return (boots, printed) => {
    const pages = boots.map((boot, at) => {
      const [fromMs, untilMs] = [boot[0]?.atMs ?? 0, boots[at + 1]?.[0]?.atMs ?? Infinity];
      const own = printed.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
      return bootPage(
        boot,
        own.map(({ message }) => message),
      );
    });
    if (pages.length > 0) {
      const now = { name, pages, before };
      before = print(terminal, now);
    } else if (before === undefined) {
      terminal.err(`${name} has not been seen yet; power it on with network boot first in its boot order\n`);
      before = '';
    }
  };
}

/** Colours the headline by its verdict, if the terminal supports colours. */
function coloured(terminal: Terminal, name: string, page: BootPage): string {
  const text = withoutControls(bootText(name, page));
  if (!wantsColour(terminal)) return text;
  const end = text.indexOf('\n');
  return paintedHeadline(text.slice(0, end), page.verdict.state) + text.slice(end);
}

interface Shown {
  readonly name: string;
  readonly pages: readonly BootPage[];
  /** The value that the previous call returned. */
  readonly before: string | undefined;
}

/** Prints changes, and returns a value that identifies this version of the page. */
type Print = (terminal: Terminal, shown: Shown) => string;

const printJson: Print = (terminal, { name, pages, before }) => {
  const text = pages.map((page) => `${JSON.stringify({ machine: name, ...page })}\n`).join('');
  if (text !== before) terminal.out(text);
  return text;
};

const printScreen: Print = (terminal, { name, pages }) => {
  terminal.styledOut(CLEAR_SCREEN + pages.map((page) => coloured(terminal, name, page)).join('\n'));
  return '';
};

const printLines: Print = (terminal, { name, pages, before }) => {
  const headline = pages
    .slice(-1)
    .map((page) => headlineOf(name, page))
    .join('');
  if (!before) terminal.styledOut(pages.map((page) => coloured(terminal, name, page)).join('\n'));
  else if (headline !== before) terminal.out(headline);
  return headline;
};
