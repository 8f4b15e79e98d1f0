import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { highestServed } from './capacity.ts';
import { addressesOf, NETWORK } from './machines.ts';
import { createLink, type Link } from './network-namespace.ts';
import { alternate, median } from './rounds.ts';
import {
  needProgram,
  processorSeconds,
  residentMegabytes,
  runProgram,
  startProgram,
  untilReady,
  type RunningProgram,
} from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startTinkerbell } from './tinkerbell-server.ts';

const RESERVATIONS = 10_000;
/** A rate counts as served when fewer exchanges than this share were lost. */
const LOSS_LIMIT = 0.01;
/** Less than this share of the wanted rate: perfdhcp itself is at its end. */
const REACHED_SHARE = 0.98;
/** Where both servers have time to spare, the delays of answers can be compared. */
const DELAY_RATE = 5000;
const SEARCH = { firstRate: 6000, lowestRate: 100, growth: 1.5, halvings: 3 } as const;
/** perfdhcp waits so long for the last answers. */
const EXIT_WAIT_MICROSECONDS = 300_000;

export const dhcpBenchmark: Benchmark = {
  name: 'dhcp',
  summary: `full DHCP exchanges through a relay address with ${RESERVATIONS.toLocaleString('en-US')} reservations, less than 1 % lost; beside Kea`,
  async run(context) {
    needProgram('perfdhcp', 'kea-admin');
    const [ours, kea] = [await startOurs(context), await startKea(context)];
    const seconds = context.quick ? 1 : 3;
    // The first seconds of any of them are slower than the rest.
    for (const subject of [ours, kea])
      await measure(context, subject, { rate: SEARCH.firstRate / 2, seconds });
    const search = (subject: Subject) => () => findCapacity(context, subject, seconds);
    const found = await alternate(context.quick ? 1 : 3, { ours: search(ours), kea: search(kea) });
    return rowsOf(found.ours, found.kea, { ours, kea });
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
  readonly offerMilliseconds: number;
  readonly processorMicroseconds: number;
}

async function startOurs(context: BenchContext): Promise<Subject> {
  const link = await createLink(context);
  const dataDirectory = join(context.directory, 'tinkerbell');
  mkdirSync(dataDirectory);
  context.say(`storing ${RESERVATIONS} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), RESERVATIONS);
  const flags = [`--public-ipv4=${link.serverAddress}`, `--dhcp-bind-interface=${link.serverInterface}`];
  const program = await startTinkerbell(context, { dataDirectory, network: link.server, flags });
  return { name: 'tinkerbell', link, program };
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

/** As its manual has it for reservations only: looked up by MAC, leases in memory and in a file. */
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
      loggers: [{ name: 'kea-dhcp4', severity: 'INFO', output_options: [{ output: 'stdout' }] }],
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

async function findCapacity(context: BenchContext, subject: Subject, seconds: number): Promise<Trial> {
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
  const { offerMilliseconds } = await measure(context, subject, { rate: DELAY_RATE, seconds });
  return { ...best, offerMilliseconds };
}

async function measure(
  context: BenchContext,
  { link, program }: Subject,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Trial> {
  const before = processorSeconds(program.pid);
  const perfdhcp = needProgram('perfdhcp', 'kea-admin');
  const from = ['-4', '-l', link.clientAddress, '-L', '67', '-g', 'single', '-R', String(RESERVATIONS)];
  const load = ['-r', String(Math.round(rate)), '-p', String(seconds), '-W', String(EXIT_WAIT_MICROSECONDS)];
  const run = await runProgram(context, {
    command: [perfdhcp, ...from, ...load, link.serverAddress],
    network: link.client,
  });
  const used = processorSeconds(program.pid) - before;
  return trialFrom(run.output, used, seconds);
}

/** perfdhcp's report: one block for DISCOVER-OFFER, one for REQUEST-ACK. */
function trialFrom(report: string, processor: number, seconds: number): Trial {
  const [, offers = '', acknowledgements = ''] = report.split('***Statistics for:');
  const number = (block: string, name: string): number =>
    Number(new RegExp(`${name}: ([\\d.]+)`).exec(block)?.[1] ?? Number.NaN);
  const sent = number(offers, 'sent packets');
  const complete = number(acknowledgements, 'received packets');
  if (Number.isNaN(complete)) throw new Error(`perfdhcp: ${report.slice(-1000)}`);
  return {
    exchangesPerSecond: complete / seconds,
    lost: 1 - complete / sent,
    offerMilliseconds: number(offers, 'avg delay'),
    processorMicroseconds: (processor * 1e6) / complete,
  };
}

function rowsOf(
  ours: readonly Trial[],
  kea: readonly Trial[],
  subjects: { readonly ours: Subject; readonly kea: Subject },
): Row[] {
  const of = (trials: readonly Trial[], field: keyof Trial) => median(trials.map((trial) => trial[field]));
  const peer = (field: keyof Trial) => ({ name: 'Kea', value: of(kea, field) });
  return [
    rowOf({
      name: 'exchanges per second',
      value: of(ours, 'exchangesPerSecond'),
      unit: '/s',
      better: 'higher',
      peer: peer('exchangesPerSecond'),
      goal: { ratio: 1 },
    }),
    rowOf({
      name: 'processor time per exchange',
      value: of(ours, 'processorMicroseconds'),
      unit: 'us',
      better: 'lower',
      peer: peer('processorMicroseconds'),
    }),
    rowOf({
      name: `DISCOVER to OFFER at ${DELAY_RATE.toLocaleString('en-US')}/s, mean`,
      value: of(ours, 'offerMilliseconds'),
      unit: 'ms',
      better: 'lower',
      peer: peer('offerMilliseconds'),
    }),
    rowOf({
      name: 'resident memory',
      value: residentMegabytes(subjects.ours.program.pid),
      unit: 'MB',
      better: 'lower',
      peer: { name: 'Kea', value: residentMegabytes(subjects.kea.program.pid) },
    }),
  ];
}
