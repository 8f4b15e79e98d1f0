import type { Command } from 'commander';
import { delay } from '@tinkerbell/platform-contract';
import { hardwareKind } from '@tinkerbell/resources';
import type { ObjectName } from '../client/client.ts';
import { machineNamed } from '../client/machine-target.ts';
import { ApiFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { diagnosisText, isStopped, summaryText, type Examined } from './doctor-page.ts';

interface DoctorOptions {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly watch?: boolean;
}

export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command('doctor [machine]')
    .description(
      'report why a machine does not boot and what to do, or all machines that stand still; exits 1 if one does',
    )
    .option('-A, --all', 'examine the machines of all namespaces')
    .option('--json', 'print one JSON document per machine')
    .option('-w, --watch', 'print again after each change, until Ctrl-C')
    .addHelpText('after', examples('tink doctor', 'tink doctor machine-1 -w', 'tink doctor --all --json'))
    .action(async (machine: string | undefined, options: DoctorOptions, command: Command) =>
      doctor(await sessionOf(command, terminal), machine, options),
    );
}

const WATCH_EVERY_MS = 2_000;

async function doctor(session: Session, machine: string | undefined, options: DoctorOptions): Promise<void> {
  if (machine !== undefined && options.all === true)
    throw usageFailure('a machine and --all cannot be combined');
  const { terminal } = session;
  const print = options.json === true ? jsonText : textFor(machine);
  let before: string | undefined;
  for (;;) {
    const all = await examined(session, machine, options);
    const text = print(all);
    if (text !== before) terminal.out(text);
    before = text;
    if (options.watch !== true) return report(all);
    await delay(terminal.clock, WATCH_EVERY_MS, terminal.signal);
    if (terminal.signal.aborted) return;
  }
}

function textFor(machine: string | undefined): (all: readonly Examined[]) => string {
  return machine === undefined ? summaryText : (all) => all.map(diagnosisText).join('');
}

function jsonText(all: readonly Examined[]): string {
  return all.map((one) => `${JSON.stringify(one)}\n`).join('');
}

function report(all: readonly Examined[]): void {
  const count = all.filter(isStopped).length;
  if (count > 0)
    throw new TinkFailure(count === 1 ? '1 machine does not boot' : `${count} machines do not boot`);
}

/** Requests at the same time. */
const AT_ONCE = 16;

async function examined(
  session: Session,
  machine: string | undefined,
  { all }: DoctorOptions,
): Promise<readonly Examined[]> {
  if (machine !== undefined) return [await examine(session, await machineNamed(session, machine))];
  const place = all === true ? {} : { namespace: session.namespace };
  const { items } = await session.client.list(hardwareKind, place);
  const results: Examined[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const targets = items
      .slice(at, at + AT_ONCE)
      .map(({ metadata }) => ({ ...metadata, kind: hardwareKind }));
    results.push(...(await Promise.all(targets.map((target) => examine(session, target)))));
  }
  return results;
}

/** Machines have no verdict when a server has just started, or when its doctor is disabled. */
async function examine({ client }: Session, target: ObjectName): Promise<Examined> {
  try {
    return await client.diagnosis(target);
  } catch (thrown) {
    if (!(thrown instanceof ApiFailure) || thrown.code !== 404) throw thrown;
    return { namespace: target.namespace ?? '', machine: target.name, reason: thrown.message };
  }
}
