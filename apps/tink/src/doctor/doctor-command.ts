import { Option, type Command } from 'commander';
import { delay } from '@tinkerbell/platform-contract';
import { hardwareKind } from '@tinkerbell/resources';
import type { ObjectName } from '../client/client.ts';
import { machineNamed } from '../client/machine-target.ts';
import { ApiFailure } from '../client/server-failure.ts';
import type { Session } from '../client/session.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { activeChecks } from './active-checks.ts';
import { checkPlaceIn, type CheckPlace } from './check-place.ts';
import { isStopped, machineText, summaryText, type Checked, type Examined } from './doctor-page.ts';

interface DoctorOptions {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly check?: boolean;
  readonly from?: CheckPlace;
  readonly interface?: string;
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
    .option(
      '--check',
      'try the ports of the server, the address of the machine, its BMC and its recorded console from this host; the address needs root',
    )
    .addOption(
      new Option(
        '--from <place>',
        'with --check: here, server, which probes the address and reads the BMC itself, or agent:NAME or relay:NAME, which try ports and address from the machine or the relay NAME (default: here)',
      ).argParser(checkPlaceIn),
    )
    .option(
      '--interface <name>',
      'with --check: look for other DHCP servers on this network interface, with the MAC of the machine; needs root',
    )
    .addHelpText(
      'after',
      examples(
        'tink doctor',
        'tink doctor machine-1 -w',
        'tink doctor --all --json',
        'tink doctor machine-1 --check --from server',
        'tink doctor machine-1 --check --from agent:machine-2',
        'tink doctor machine-1 --check --from relay:rack-7',
        'sudo tink doctor machine-1 --check --interface eth1',
      ),
    )
    .action(async (machine: string | undefined, options: DoctorOptions, command: Command) =>
      doctor(await sessionOf(command, terminal), machine, options),
    );
}

const WATCH_EVERY_MS = 2_000;

async function doctor(session: Session, machine: string | undefined, options: DoctorOptions): Promise<void> {
  rejectCombinations(machine, options);
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

function rejectCombinations(
  machine: string | undefined,
  { all, check, watch, from, interface: networkInterface }: DoctorOptions,
): void {
  if (machine !== undefined && all === true) throw usageFailure('a machine and --all cannot be combined');
  if (check === true && (machine === undefined || watch === true))
    throw usageFailure('--check needs one machine, and cannot be combined with --watch');
  if (from !== undefined && check !== true) throw usageFailure('--from needs --check');
  if (networkInterface !== undefined && (check !== true || (from ?? 'here') !== 'here'))
    throw usageFailure('--interface needs --check from this host');
}

function textFor(machine: string | undefined): (all: readonly Checked[]) => string {
  return machine === undefined ? summaryText : (all) => all.map(machineText).join('');
}

function jsonText(all: readonly Checked[]): string {
  return all.map((one) => `${JSON.stringify(one)}\n`).join('');
}

function report(all: readonly Checked[]): void {
  const failed = all.flatMap(({ checks = [] }) => checks).filter(({ state }) => state === 'failed').length;
  const count = all.filter(isStopped).length;
  if (count > 0)
    throw new TinkFailure(count === 1 ? '1 machine does not boot' : `${count} machines do not boot`);
  if (failed > 0) throw new TinkFailure(failed === 1 ? '1 check failed' : `${failed} checks failed`);
}

/** Requests at the same time. */
const AT_ONCE = 16;

async function examined(
  session: Session,
  machine: string | undefined,
  { all, check, from, interface: networkInterface }: DoctorOptions,
): Promise<readonly Checked[]> {
  if (machine !== undefined) {
    const target = await machineNamed(session, machine);
    if (check === true && from !== undefined && from !== 'here') {
      // The verdict has what they find.
      const checks = await session.client.checkNow(target, from);
      return [{ ...(await examine(session, target)), checks, from }];
    }
    const found = await examine(session, target);
    if (check !== true) return [found];
    const options = networkInterface === undefined ? {} : { networkInterface };
    return [{ ...found, checks: await activeChecks(session, target, options) }];
  }
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
