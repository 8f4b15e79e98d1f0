/** The load of DHCP: perfdhcp of Kea, as a relay agent with the clients of all reservations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { BenchContext } from './benchmark.ts';
import { compiledProgram } from './compiled-program.ts';
import { RESERVATIONS, type Subject } from './dhcp-subjects.ts';
import type { Link } from './network-namespace.ts';
import { quantile } from './rounds.ts';
import { needProgram, processorSeconds, runProgram, type ProgramOptions } from './running-program.ts';

/** Below this share of the wanted rate, perfdhcp itself has reached its limit. */
export const REACHED_SHARE = 0.98;
const DELAY_SECONDS = 2;
const DELAY_RUNS_MAX = 5;
/** perfdhcp takes the time of an answer when it reads it, so what it waits for a processor would count as the server's delay. */
const LOAD_PRIORITY = ['nice', '--adjustment=-20'] as const;
/** It has no flag for them, and what they cannot hold would count as lost by the server. */
const RECEIVE_BUFFERS = fileURLToPath(new URL('large-receive-buffers.c', import.meta.url));
/** How long perfdhcp waits for the last answers. */
const EXIT_WAIT_MICROSECONDS = 300_000;

export interface Trial {
  readonly exchangesPerSecond: number;
  readonly lost: number;
  readonly processorMicroseconds: number;
}

/** From each DISCOVER to its OFFER. */
export interface OfferDelays {
  readonly offerMilliseconds: number;
  readonly offerP99Milliseconds: number;
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
