import type { Command } from 'commander';
import { workflowKind, type Workflow } from '@tinkerbell/resources';
import { createWorkflow, storeUnderFreeName } from './create-workflow.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { mapInJson, pairsOf } from './hardware-map.ts';
import { withCloseNames } from '../client/name-advice.ts';
import type { Session } from '../client/session.ts';
import type { Terminal } from '../output/terminal.ts';
import { stemOf } from './workflow-name.ts';
import { collected, examples, sessionOf } from '../command-line/command-line.ts';
import { events, withEventsOptions, type EventsOptions } from '../events/events-command.ts';
import { addKindVerbs } from '../command-line/kind-verbs.ts';
import { logs, withLogsOptions, type LogsOptions } from '../logs/logs-command.ts';
import { addOperations } from '../operate/operate-commands.ts';
import { addChecks } from './workflow-check-commands.ts';
import { named } from '../client/named.ts';

interface CreateOptions {
  readonly template?: string;
  readonly hardware?: string;
  readonly name?: string;
  readonly set?: readonly string[];
  readonly dryRun?: boolean;
}

export function addWorkflow(program: Command, terminal: Terminal): void {
  const group = program
    .command('workflow')
    .alias('wf')
    .description('run templates on machines: create, events, logs, pause, edit, retry');
  addCreate(group, terminal);
  addKindVerbs(group, workflowKind, terminal);
  withEventsOptions(group.command('events <name>'))
    .description('show the events of a workflow')
    .addHelpText('after', examples('tink workflow events m1-debian', 'tink workflow events m1-debian -w'))
    .action(async (name: string, options: EventsOptions, command: Command) =>
      events(await sessionOf(command, terminal), { ...options, workflow: name }),
    );
  withLogsOptions(group.command('logs <name>')).action(
    async (name: string, options: LogsOptions, command: Command) =>
      logs(await sessionOf(command, terminal), name, options),
  );
  addOperations(group, terminal);
  group
    .command('rerun <name>')
    .description('run an ended workflow again, as a new workflow')
    .option('--dry-run', 'run the server’s checks without storing anything')
    .addHelpText(
      'after',
      examples(
        'tink workflow rerun m1-debian      prints the name of the new workflow',
        'tink workflow retry m1-debian      resumes the same workflow instead',
      ),
    )
    .action(async (name: string, options: { readonly dryRun?: boolean }, command: Command) =>
      rerun(await sessionOf(command, terminal), name, options.dryRun === true),
    );
  addChecks(group, terminal);
}

function addCreate(group: Command, terminal: Terminal): void {
  group
    .command('create')
    .description('run a template on a machine; prints the name of the new workflow')
    .option('-t, --template <name>', 'name of the template')
    .option('-r, --hardware <name>', 'machine: name of its Hardware, or a MAC')
    .option(
      '--name <name>',
      'name of the workflow (default: HARDWARE-TEMPLATE, with a number if it is taken)',
    )
    .option('--set <name=value>', 'template value; device_1 defaults to the machine’s agent', collected)
    .option('--dry-run', 'run the server’s checks without storing anything')
    .addHelpText(
      'after',
      examples(
        'tink workflow create --template debian --hardware m1',
        'tink workflow create -t debian -r 08:00:27:9e:f5:3a --name m1-again',
        'tink workflow create -t debian -r m1 --set device_1=agent-7 --set disk=/dev/sdb',
        'tink workflow events "$(tink workflow create -t debian -r m1)" -w',
      ),
    )
    .action(async (options: CreateOptions, command: Command) => {
      if (options.template === undefined) throw usageFailure('workflow create needs --template NAME');
      const map = mapInJson(options.hardware ?? '');
      const workflow = await createWorkflow(await sessionOf(command, terminal), {
        template: options.template,
        hardware: map === undefined ? options.hardware : Object.values(map)[0],
        name: options.name,
        pairs: { ...map, ...pairsOf(options.set ?? []) },
        dryRun: options.dryRun === true,
      });
      printCreated(terminal, workflow, options.dryRun === true);
    });
}

/** Prints only the name to standard output, for scripts. */
function printCreated(terminal: Terminal, { metadata }: Workflow, dryRun: boolean): void {
  terminal.out(`${metadata.name}\n`);
  if (terminal.isTty && !dryRun) terminal.err(`watch it with: tink workflow events ${metadata.name} -w\n`);
}

const ended = ['SUCCESS', 'FAILED', 'TIMEOUT'];

/** The ended workflow stays unchanged as a record. */
async function rerun(session: Session, word: string, dryRun: boolean): Promise<void> {
  const { client, terminal } = session;
  const target = await named(session, workflowKind, word);
  const { name } = target;
  const { spec, status } = await withCloseNames(client, target, () => client.get(target));
  const state = status?.state ?? '';
  if (!ended.includes(state)) {
    throw new TinkFailure(`workflow/${name} has not ended; it is ${state || 'not started'}`, {
      advice: `watch it with "tink workflow events ${name} -w", or end it with "tink workflow cancel ${name}"`,
    });
  }
  const stem = stemOf(name);
  const workflow = await storeUnderFreeName(session, spec ?? {}, { stem, name: undefined, dryRun });
  printCreated(terminal, workflow, dryRun);
}
