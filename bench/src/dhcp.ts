import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { highestServed } from './capacity.ts';
import { compiledProgram } from './compiled-program.ts';
import { addressesOf, NETWORK } from './machines.ts';
import { MINIMAL_DHCP, startMinimalDhcp } from './minimal-dhcp.ts';
import { createLink, type Link } from './network-namespace.ts';
import { alternate, median, quantile } from './rounds.ts';
import {
  needProgram,
  processorSeconds,
  residentMegabytes,
  runProgram,
  startProgram,
  untilIdle,
  untilReady,
  type ProgramOptions,
  type RunningProgram,
} from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

const RESERVATIONS = 10_000;
/** A rate counts as served when fewer exchanges than this share were lost. */
const LOSS_LIMIT = 0.01;
/** Below this share of the wanted rate, perfdhcp itself has reached its limit. */
const REACHED_SHARE = 0.98;
/**
 * The share of the rate that a server was found to serve. There it has spare time, so the delays of its
 * answers are meaningful.
 */
const DELAY_SHARE = 0.5;
const DELAY_SECONDS = 2;
const DELAY_RUNS_MAX = 5;
const DELAY_ROUNDS = 5;
const DELAY_P99_GOAL_MS = 1;
const RESIDENT_GOAL_MB = 150;
/** A server for DHCP alone, like Kea. */
export const DHCP_ONLY = [
  '--enable-tink-server=false',
  '--enable-tink-controller=false',
  '--enable-images=false',
  '--enable-tootles=false',
  '--tftp-server-enabled=false',
  '--syslog-enabled=false',
] as const;
const SEARCH = { firstRate: 6000, lowestRate: 100, growth: 1.5, halvings: 3 } as const;
/** perfdhcp takes the time of an answer when it reads it, so what it waits for a processor would count as the server's delay. */
const LOAD_PRIORITY = ['nice', '--adjustment=-20'] as const;
/** It has no flag for them, and what they cannot hold would count as lost by the server. */
const RECEIVE_BUFFERS = fileURLToPath(new URL('large-receive-buffers.c', import.meta.url));
/** How long perfdhcp waits for the last answers. */
const EXIT_WAIT_MICROSECONDS = 300_000;

export const dhcpBenchmark: Benchmark = {
  name: 'dhcp',
  summary: `full DHCP exchanges through a relay address with ${RESERVATIONS.toLocaleString('en-US')} reservations, less than 1 % lost; beside Kea`,
  async run(context) {
    needProgram('perfdhcp', 'kea-admin');
    const [ours, kea] = [await startDhcpServer(context), await startKea(context)];
    const minimal = await startMinimal(context);
    const seconds = context.quick ? 1 : 3;
    // The first seconds of each server are slower than the rest.
    for (const subject of [ours, kea, minimal])
      await measure(context, subject, { rate: SEARCH.firstRate / 2, seconds });
    const search = (subject: Subject) => () => findCapacity(context, subject, seconds);
    const found = await alternate(context.quick ? 1 : 3, {
      ours: search(ours),
      kea: search(kea),
      minimal: search(minimal),
    });
    // At its own half, the faster server has more to do than its peer. At one rate for all, delays compare.
    const peerRate = median(found.kea.map(({ exchangesPerSecond }) => exchangesPerSecond)) * DELAY_SHARE;
    const delay = (subject: Subject) => async () => {
      // What the server before it still records would delay this one.
      await measure(context, subject, { rate: peerRate, seconds });
      return await offerDelays(context, subject, peerRate);
    };
    const equal = await alternate(context.quick ? 1 : DELAY_ROUNDS, {
      ours: delay(ours),
      kea: delay(kea),
      minimal: delay(minimal),
    });
    await untilIdle(context);
    return [
      ...rateRows(found),
      ...delayRows(found, 'its own rate'),
      ...delayRows(equal, "Kea's rate"),
      memoryRow({ ours, kea, minimal }),
    ];
  },
};

interface Subject {
  readonly name: string;
  readonly link: Link;
  readonly program: RunningProgram;
}

interface Trial {
  readonly exchangesPerSecond: number;
  readonly lost: number;
  readonly processorMicroseconds: number;
}

/** From each DISCOVER to its OFFER. */
interface OfferDelays {
  readonly offerMilliseconds: number;
  readonly offerP99Milliseconds: number;
}

/** With the delays at half of the rate. */
type Found = Trial & OfferDelays;

export async function startDhcpServer(context: BenchContext): Promise<Subject> {
  const link = await createLink(context);
  const dataDirectory = join(context.directory, 'tinkerbell');
  mkdirSync(dataDirectory);
  context.say(`storing ${RESERVATIONS} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), RESERVATIONS);
  const flags = [
    `--public-ipv4=${link.serverAddress}`,
    `--dhcp-bind-interface=${link.serverInterface}`,
    ...DHCP_ONLY,
  ];
  const options = { dataDirectory, network: link.server, flags };
  // The first start of new code fills Node's cache of compiled code, which keeps some 20 MB for it. A running
  // server does not have that.
  const first = await startTinkerbell(context, options);
  await first.stop();
  const program = await startTinkerbell(context, options);
  return { name: 'tinkerbell', link, program };
}

async function startMinimal(context: BenchContext): Promise<Subject> {
  const link = await createLink(context);
  const program = await startMinimalDhcp(context, link, RESERVATIONS);
  return { name: MINIMAL_DHCP, link, program };
}

async function startKea(context: BenchContext): Promise<Subject> {
  const kea = needProgram('kea-dhcp4', 'kea-dhcp4-server');
  const link = await createLink(context);
  const directory = join(context.directory, 'kea');
  mkdirSync(directory);
  const configuration = join(directory, 'kea.json');
  writeFileSync(configuration, JSON.stringify(keaConfiguration(link, directory)));
  const program = startProgram(context, {
    command: [kea, '-c', configuration],
    network: link.server,
    environment: {
      KEA_PIDFILE_DIR: directory,
      KEA_LOCKFILE_DIR: directory,
      KEA_LOGGER_DESTINATION: 'stdout',
    },
  });
  await untilReady(program, () => /DHCP4_STARTED/.test(program.output()));
  return { name: 'Kea', link, program };
}

/**
 * Configured as in its manual for reservations only: looked up by MAC, with leases in memory and in a file.
 */
function keaConfiguration(link: Link, directory: string): object {
  return {
    Dhcp4: {
      'interfaces-config': { interfaces: [link.serverInterface], 'dhcp-socket-type': 'udp' },
      'lease-database': {
        type: 'memfile',
        persist: true,
        name: join(directory, 'leases.csv'),
        'lfc-interval': 0,
      },
      'host-reservation-identifiers': ['hw-address'],
      'valid-lifetime': 86_400,
      // Its log passes through a pipe to this program, so it must not log packets. `dhcp4` logs the start.
      loggers: [
        { name: 'kea-dhcp4', severity: 'ERROR', output_options: [{ output: 'stdout' }] },
        { name: 'kea-dhcp4.dhcp4', severity: 'INFO', output_options: [{ output: 'stdout' }] },
      ],
      subnet4: [
        {
          subnet: NETWORK.subnet,
          'reservations-global': false,
          'reservations-in-subnet': true,
          'reservations-out-of-pool': true,
          'option-data': [
            { name: 'routers', data: NETWORK.gateway },
            { name: 'domain-name-servers', data: '10.199.0.1' },
          ],
          reservations: Array.from({ length: RESERVATIONS }, (_, index) => {
            const { mac, address } = addressesOf(index);
            return { 'hw-address': mac, 'ip-address': address, hostname: `machine-${index}` };
          }),
        },
      ],
    },
  };
}

async function findCapacity(context: BenchContext, subject: Subject, seconds: number): Promise<Found> {
  const best = await highestServed(SEARCH, async (rate) => {
    const trial = await measure(context, subject, { rate, seconds });
    const { exchangesPerSecond, lost } = trial;
    context.say(
      `${subject.name} ${Math.round(rate)}/s: ${Math.round(exchangesPerSecond)}/s, ${(lost * 100).toFixed(2)} % lost`,
    );
    return lost < LOSS_LIMIT && exchangesPerSecond > rate * REACHED_SHARE ? trial : undefined;
  });
  if (best === undefined)
    throw new Error(`${subject.name} answers nothing: ${subject.program.output().slice(-2000)}`);
  return { ...best, ...(await offerDelays(context, subject, best.exchangesPerSecond * DELAY_SHARE)) };
}

export async function measure(
  context: BenchContext,
  { link, program }: Subject,
  { rate, seconds }: Load,
): Promise<Trial> {
  const load = await loadFrom(context, link, { rate, seconds });
  const before = processorSeconds(program.pid);
  const run = await runProgram(context, load);
  const used = processorSeconds(program.pid) - before;
  return trialFrom(run.output, used, seconds);
}

interface Load {
  readonly rate: number;
  readonly seconds: number;
  /** The times of all packets, at its end. */
  readonly listsTimes?: boolean;
}

function perfdhcpCommand(link: Link, { rate, seconds, listsTimes = false }: Load): [string, ...string[]] {
  const perfdhcp = needProgram('perfdhcp', 'kea-admin');
  const from = ['-4', '-l', link.clientAddress, '-L', '67', '-g', 'single', '-R', String(RESERVATIONS)];
  const load = [
    ...(listsTimes ? ['-x', 't'] : []),
    '-r',
    String(Math.round(rate)),
    '-p',
    String(seconds),
    '-W',
    String(EXIT_WAIT_MICROSECONDS),
  ];
  return [...LOAD_PRIORITY, perfdhcp, ...from, ...load, link.serverAddress];
}

async function loadFrom(context: BenchContext, link: Link, load: Load): Promise<ProgramOptions> {
  const buffers = await compiledProgram(context, RECEIVE_BUFFERS, ['-shared', '-fPIC']);
  return {
    command: perfdhcpCommand(link, load),
    network: link.client,
    environment: { LD_PRELOAD: buffers },
  };
}

interface MeasuredDelays {
  /** Milliseconds, one for each answered DISCOVER of two seconds. */
  readonly offers: readonly number[];
  /**
   * The share of the planned DISCOVERs that was sent. Where the load was delayed, the machine was too, so the
   * delays are not the server's.
   */
  readonly sentShare: number;
}

/** Returns the delays of an undisturbed run, or after several tries of the least disturbed one. */
export async function offerDelays(
  context: BenchContext,
  subject: Subject,
  rate: number,
): Promise<OfferDelays> {
  let best = await offerDelaysOnce(context, subject, rate);
  for (let runs = 1; best.sentShare < REACHED_SHARE && runs < DELAY_RUNS_MAX; runs += 1) {
    context.say(
      `${subject.name}: the load sent ${(best.sentShare * 100).toFixed(0)} % at ${Math.round(rate)}/s: again`,
    );
    const next = await offerDelaysOnce(context, subject, rate);
    if (next.sentShare > best.sentShare) best = next;
  }
  const { offers } = best;
  const mean = offers.reduce((sum, delay) => sum + delay, 0) / offers.length;
  return { offerMilliseconds: mean, offerP99Milliseconds: quantile(offers, 0.99) };
}

/** perfdhcp lists them at its end. They exceed what is kept of a program's output. */
async function offerDelaysOnce(
  context: BenchContext,
  { link }: Subject,
  rate: number,
): Promise<MeasuredDelays> {
  const file = join(context.directory, 'perfdhcp.txt');
  const load = await loadFrom(context, link, { rate, seconds: DELAY_SECONDS, listsTimes: true });
  const script = 'file=$1; shift; exec "$@" > "$file"';
  await runProgram(context, { ...load, command: ['sh', '-c', script, 'sh', file, ...load.command] });
  const report = readFileSync(file, 'utf8');
  const [, list = ''] = report.split('***Timestamps for packets: DISCOVER-OFFER***');
  const [offers = ''] = list.split('***');
  return {
    offers: [...offers.matchAll(/^sent \/ received: ([\d.]+) \/ ([\d.]+)/gm)].map(
      ([, sentAt, receivedAt]) => (Number(receivedAt) - Number(sentAt)) * 1000,
    ),
    // The first of its blocks has the DISCOVERs.
    sentShare: numberIn(report, 'sent packets') / (rate * DELAY_SECONDS),
  };
}

/** Reads perfdhcp's report: one block for DISCOVER-OFFER, one for REQUEST-ACK. */
function trialFrom(report: string, processor: number, seconds: number): Trial {
  const [, offers = '', acknowledgements = ''] = report.split('***Statistics for:');
  const sent = numberIn(offers, 'sent packets');
  const complete = numberIn(acknowledgements, 'received packets');
  return {
    exchangesPerSecond: complete / seconds,
    lost: 1 - complete / sent,
    processorMicroseconds: (processor * 1e6) / complete,
  };
}

function numberIn(report: string, name: string): number {
  const found = new RegExp(`${name}: ([\\d.]+)`).exec(report)?.[1];
  if (found === undefined) throw new Error(`perfdhcp reported no ${name}: ${report.slice(-1000)}`);
  return Number(found);
}

type Each<Value> = Readonly<Record<'ours' | 'kea' | 'minimal', Value>>;

/** Of the medians of a field. */
function comparing<Field extends string>({
  ours,
  kea,
  minimal,
}: Each<readonly Readonly<Record<Field, number>>[]>) {
  const of = (trials: readonly Readonly<Record<Field, number>>[], field: Field) =>
    median(trials.map((trial) => trial[field]));
  return (field: Field) => ({
    value: of(ours, field),
    peer: { name: 'Kea', value: of(kea, field) },
    floor: { name: MINIMAL_DHCP, value: of(minimal, field) },
  });
}

function rateRows(found: Each<readonly Trial[]>): Row[] {
  const compared = comparing(found);
  return [
    rowOf({
      name: 'exchanges per second',
      ...compared('exchangesPerSecond'),
      unit: '/s',
      better: 'higher',
      goal: { ratio: 3 },
    }),
    rowOf({
      name: 'processor time per exchange',
      ...compared('processorMicroseconds'),
      unit: 'us',
      better: 'lower',
      goal: { ratio: 3 },
    }),
  ];
}

function delayRows(delays: Each<readonly OfferDelays[]>, whole: string): Row[] {
  const compared = comparing(delays);
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    rowOf({
      ...row,
      name: `DISCOVER to OFFER at half of ${whole}, mean`,
      ...compared('offerMilliseconds'),
      goal: { none: 'the slowest count' },
    }),
    rowOf({
      ...row,
      name: `DISCOVER to OFFER at half of ${whole}, 99th percentile`,
      ...compared('offerP99Milliseconds'),
      goal: { value: DELAY_P99_GOAL_MS },
    }),
  ];
}

function memoryRow({ ours, kea, minimal }: Each<Subject>): Row {
  return rowOf({
    name: 'resident memory',
    value: residentMegabytes(ours.program.pid),
    unit: 'MB',
    better: 'lower',
    peer: { name: 'Kea', value: residentMegabytes(kea.program.pid) },
    floor: { name: MINIMAL_DHCP, value: residentMegabytes(minimal.program.pid) },
    goal: { value: RESIDENT_GOAL_MB },
  });
}
