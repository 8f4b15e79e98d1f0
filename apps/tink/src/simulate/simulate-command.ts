import type { Command } from 'commander';
import type { FleetApi, FleetReport } from '@tinkerbell/sim/fleet';
import type { ApiClient } from '../client/client.ts';
import type { Session } from '../client/session.ts';
import { examples, sessionOf } from '../command-line/command-line.ts';
import { TinkFailure } from '../failure.ts';
import type { Terminal } from '../output/terminal.ts';
import { openRecording, readRecording, recordedWords, rejectRecorded } from './recording-file.ts';
import { DEFAULTS, fleetOptionsOf, type SimulateOptions } from './fleet-options.ts';

/** Ctrl-C stops the machines, and their objects are removed then. That takes minutes for 65,000 machines. */
const CLEANING_MS_MAX = 600_000;

export function addSimulate(program: Command, terminal: Terminal): void {
  const command = program
    .command('simulate')
    .description(
      'boot simulated machines from a server and install them, to size a site; exits 1 unless every machine was provisioned; needs root for the port of DHCP',
    )
    .option('--machines <number>', 'number of machines', DEFAULTS.machines)
    .option('--at-once <number>', 'machines that are switched on and not done, at most', DEFAULTS.atOnce)
    .option('--rate <number>', 'machines that are switched on per second, at most (default: no limit)')
    .option('--actions <number>', 'actions of each Workflow', DEFAULTS.actions)
    .option('--work <seconds>', 'how long an action takes: SECONDS or SECONDS-SECONDS', DEFAULTS.work)
    .option(
      '--images <part>',
      'read of kernel and initramfs: none, head (64 KiB each) or whole',
      DEFAULTS.images,
    )
    .option('--loss <share>', 'share of UDP packets that are lost in each direction, 0 to 1', DEFAULTS.loss)
    .option('--duplicates <share>', 'share of UDP packets that arrive twice, 0 to 1', DEFAULTS.duplicates)
    .option('--crashes <share>', 'share of machines that lose power once, 0 to 1', DEFAULTS.crashes)
    .option(
      '--speed <factor>',
      'firmware, iPXE and the in-memory OS start this many times as fast',
      DEFAULTS.speed,
    )
    .option('--timeout <time>', 'a machine that is not done by then has failed', DEFAULTS.timeout)
    .option('--seed <number>', 'everything random comes from it; the same seed repeats it (default: random)');
  withPlaces(command)
    .addHelpText(
      'after',
      examples(
        'sudo tink simulate --machines 50',
        'sudo tink simulate --machines 1000 --rate 20 --loss 0.01 --crashes 0.05',
        'sudo tink simulate --machines 1000 --speed 10 --work 0.5 --images none --json',
      ),
    )
    .action(async (options: SimulateOptions, own: Command) =>
      simulate(await sessionOf(own, terminal), options, (name) => own.getOptionValueSource(name) === 'cli'),
    );
}

/** Options about where it runs, and what it leaves there. */
function withPlaces(command: Command): Command {
  return command
    .option(
      '--relay <address>',
      'address of this host for the relay agent; the machines have the addresses after it',
      DEFAULTS.relay,
    )
    .option('--boot-server <address>', 'address of DHCP and TFTP (default: the host of the API)')
    .option('--dhcp-port <port>', 'port of the DHCP server', DEFAULTS.dhcpPort)
    .option('--tftp-port <port>', 'port of the TFTP server', DEFAULTS.tftpPort)
    .option('--beside-others', 'run on a server that has Hardware of its own; it is not touched')
    .option('--record <file>', 'write what each machine sends and gets, as lines of JSON')
    .option(
      '--replay <file>',
      'switch the machines of a recording on at the same times, and report which answers differ',
    )
    .option('--clean', 'remove what earlier simulations have left in the namespace, and do nothing else')
    .option('--keep', 'leave the Hardware, Template and Workflows of the simulation')
    .option('--json', 'print one JSON document');
}

async function simulate(
  { client, namespace, terminal }: Session,
  options: SimulateOptions,
  isGiven: (name: string) => boolean,
): Promise<void> {
  const progress = (text: string): void => terminal.err(`${text}\n`);
  const { isHeld, reportText, ...sim } = await import('@tinkerbell/sim/fleet');
  if (options.clean === true) {
    const removed = await sim.removeSite(apiOf(client), { namespace }, progress);
    return terminal.out(`removed ${removed} objects\n`);
  }
  if (options.replay !== undefined) rejectRecorded(isGiven);
  const replay = options.replay === undefined ? undefined : await readRecording(options.replay);
  const recorded = replay === undefined ? {} : recordedWords(replay);
  const place = { server: client.server, namespace, randomSeed: randomSeed(terminal) };
  const fleet = await fleetOptionsOf({ ...options, ...recorded }, place);
  const { nodeUdp } = await import('@tinkerbell/platform-node/udp');
  const file = options.record === undefined ? undefined : await openRecording(options.record, sim.LINES_MAX);
  const deps = {
    api: apiOf(client),
    cleaningApi: () => apiOf(client.endingWith(AbortSignal.timeout(CLEANING_MS_MAX))),
    clock: terminal.clock,
    udp: nodeUdp,
    signal: terminal.signal,
    progress,
    ...(file === undefined ? {} : { record: file.write }),
    ...(replay === undefined ? {} : { replay }),
  };
  terminal.err(`seed ${fleet.seed}\n`);
  const report = await sim.runFleet(deps, fleet).catch((error: unknown) => {
    if (!(error instanceof sim.FleetError)) throw error;
    throw new TinkFailure(error.message, { advice: error.advice });
  });
  await file?.close();
  terminal.out(options.json === true ? `${JSON.stringify(report)}\n` : reportText(report));
  if (!isHeld(report)) throw failureOf(report);
}

function apiOf(client: ApiClient): FleetApi {
  return {
    list: (kind, options) => client.list(kind, options),
    create: (kind, object) => client.create(kind, object),
    remove: (target) => client.remove(target),
    async metrics() {
      const { body } = await client.raw('/metrics', { method: 'GET', headers: {} });
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
      return text;
    },
  };
}

function randomSeed({ random }: Terminal): number {
  return 1 + Math.floor(random.fraction() * 999_999);
}

function failureOf({ machines, provisioned, broken, differences = [] }: FleetReport): TinkFailure {
  if (broken.length > 0) return new TinkFailure(`the server did not hold: ${broken[0]}`);
  const count = machines - provisioned;
  if (count === 0)
    return new TinkFailure(`${differences.length} machines got other answers than in the recording`);
  return new TinkFailure(`${count} of ${machines} machines were not provisioned`);
}
