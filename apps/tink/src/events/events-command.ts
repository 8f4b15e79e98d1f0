import { Option, type Command } from 'commander';
import { hardwareKind, macsOf, primaryMacOf, workflowKind } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import type { ObjectName } from '../client/client.ts';
import { dayOf } from './event-line.ts';
import { EventPrinter } from './event-printer.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { resumeOptions } from '../client/followed.ts';
import { existing, machineNamed } from '../client/machine-target.ts';
import type { Session } from '../client/session.ts';
import { wantsColour, type Terminal } from '../output/terminal.ts';
import { followTimelines, readTimelines } from '../client/timelines.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';

export interface EventsOptions {
  readonly watch?: boolean;
  readonly machine?: string;
  readonly workflow?: string;
  readonly after?: string;
  readonly output: 'text' | 'json';
}

export function withEventsOptions(command: Command): Command {
  return command
    .option('-w, --watch', 'keep printing new events, also across server restarts')
    .option('--after <sequence>', 'print only records after this sequence (-o json prints sequences)')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'),
    );
}

export function addEvents(program: Command, terminal: Terminal): void {
  withEventsOptions(program.command('events'))
    .description('show the events of machines, from the first packet to the last action')
    .option('--machine <name>', 'show this machine: name of its Hardware, or a MAC')
    .option('--workflow <name>', 'show only this workflow')
    .addHelpText(
      'after',
      examples(
        'tink events --machine m1 -w                  watch a machine boot and install',
        'tink events --machine 08:00:27:9e:f5:3a',
        'tink events --workflow m1-debian -o json     one JSON record per line',
        'tink events -w                               all machines of the namespace',
      ),
    )
    .action(async (options: EventsOptions, command: Command) =>
      events(await sessionOf(command, terminal), options),
    );
}

/** Limit of timelines that are watched together. Each takes a connection. */
const SUBJECTS_MAX = 100;

export async function events(session: Session, options: EventsOptions): Promise<void> {
  const after = sequenceOf(options.after);
  const { subjects, nameOfRecord } = await subjectsFor(session, options);
  if (subjects.length > SUBJECTS_MAX) {
    throw new TinkFailure(
      `${subjects.length} machines are too many to show together (limit: ${SUBJECTS_MAX})`,
      {
        advice: 'select one with --machine NAME or --workflow NAME',
      },
    );
  }
  const { terminal, client } = session;
  const printer = printerFor(session, options, nameOfRecord);
  const resume = resumeOptions(session, (text) => printer.note(text));
  const records = options.watch
    ? followTimelines(client, subjects, { ...resume, after })
    : await readTimelines(client, subjects, after);
  let count = 0;
  try {
    for await (const record of records) {
      count += 1;
      printer.print(record);
    }
  } finally {
    printer.end();
  }
  if (count === 0 && !options.watch) terminal.err('no events yet; use -w to wait for them\n');
}

function sequenceOf(after = '0'): number {
  if (!/^\d{1,15}$/.test(after))
    throw usageFailure(`--after must be a whole number, not ${JSON.stringify(after)}`);
  return Number(after);
}

interface Printer {
  print(record: JournalRecord): void;
  note(text: string): void;
  end(): void;
}

function printerFor(
  { terminal }: Session,
  { output }: EventsOptions,
  subject: ((record: JournalRecord) => string) | undefined,
): Printer {
  if (output === 'json') {
    return {
      print: (record) => terminal.out(`${JSON.stringify(record)}\n`),
      note: (text) => terminal.err(`${text}\n`),
      end: () => undefined,
    };
  }
  const printer = new EventPrinter({
    write: terminal.styledOut,
    isTty: terminal.isTty,
    columns: terminal.columns,
    colour: wantsColour(terminal),
    today: dayOf(terminal.clock.nowMs()),
    subject,
  });
  // On a terminal, a note is printed between the records. In a pipe, it must not mix with them.
  const note = (text: string): void => (terminal.isTty ? printer.note(text) : terminal.err(`${text}\n`));
  return { print: (record) => printer.print(record), note, end: () => printer.end() };
}

interface Subjects {
  readonly subjects: readonly ObjectName[];
  /** Returns the owner of a record, for the timelines of several machines. */
  readonly nameOfRecord?: (record: JournalRecord) => string;
}

async function subjectsFor(session: Session, { machine, workflow }: EventsOptions): Promise<Subjects> {
  if (machine !== undefined && workflow !== undefined)
    throw usageFailure('--machine and --workflow cannot be combined');
  if (workflow !== undefined)
    return { subjects: [await existing(session, { kind: workflowKind, name: workflow })] };
  if (machine !== undefined) return { subjects: [await machineNamed(session, machine)] };
  return allSubjects(session);
}

/** Returns all machines of the namespace, and the workflows without a machine. */
async function allSubjects({ client, namespace }: Session): Promise<Subjects> {
  const hardware = (await client.list(hardwareKind, { namespace })).items;
  const workflows = (await client.list(workflowKind, { namespace })).items;
  const names = new Map(
    hardware.flatMap((one) => macsOf(one).map((mac) => [mac, one.metadata.name] as const)),
  );
  const withTimeline = new Set(
    hardware.filter((one) => primaryMacOf(one) !== undefined).map((one) => one.metadata.name),
  );
  const unbound = workflows.filter((one) => !withTimeline.has(one.spec?.hardwareRef ?? ''));
  const subjects = [
    ...hardware.map(({ metadata }) => ({ kind: hardwareKind, name: metadata.name, namespace })),
    ...unbound.map(({ metadata }) => ({ kind: workflowKind, name: metadata.name, namespace })),
  ];
  if (subjects.length === 0) {
    throw new TinkFailure(`no hardware and no workflow in namespace ${namespace}`, {
      advice: 'create some with tink apply -f, or select another namespace with -n',
    });
  }
  const nameOfRecord = ({ machine = '', workflow = '' }: JournalRecord): string =>
    names.get(machine) ?? (machine || workflow.split('/').at(-1) || '');
  return subjects.length === 1 ? { subjects } : { subjects, nameOfRecord };
}
