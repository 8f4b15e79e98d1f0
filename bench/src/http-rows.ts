/**
 * The common part of the benchmarks of HTTP answers: full load for the rate, and a paced load for the delay.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { BenchContext } from './benchmark.ts';
import { httpLoad, SERVER_PROCESSOR } from './http-load.ts';
import { median } from './rounds.ts';
import { processorSeconds } from './running-program.ts';
import { storeHardware } from './stored-hardware.ts';
import { startOnLoopback, type LoopbackServer } from './tinkerbell-server.ts';

/** The whole product on one core of loopback, with `count` Hardware in its store. */
export async function startWithHardware(
  context: BenchContext,
  count: number,
  flags: readonly string[] = [],
): Promise<LoopbackServer> {
  const dataDirectory = join(context.directory, 'data');
  mkdirSync(dataDirectory);
  context.say(`storing ${count} Hardware`);
  await storeHardware(join(dataDirectory, 'tinkerbell.db'), count);
  return startOnLoopback(context, { dataDirectory, flags, prefix: SERVER_PROCESSOR });
}

export interface Subject {
  readonly url: string;
  readonly requests: readonly string[];
  /** The id of the process that answers. */
  readonly pid: number;
}

export interface RoundResult {
  readonly perSecond: number;
  readonly p99Milliseconds: number;
  /** The processor time of the server for one request. */
  readonly microseconds: number;
}

/** Runs one round under full load. @throws Error when an answer was not 200. */
export async function fullLoad(
  context: BenchContext,
  { url, requests, pid }: Subject,
  plan: { readonly connections: number; readonly seconds: number; readonly rate?: number },
): Promise<RoundResult> {
  const { hostname, port } = new URL(url);
  const before = processorSeconds(pid);
  const result = await httpLoad(context, { host: hostname, port: Number(port), requests, ...plan });
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} answers were not 200`);
  return {
    perSecond: result.requests / result.seconds,
    p99Milliseconds: result.p99Milliseconds,
    microseconds: ((processorSeconds(pid) - before) * 1e6) / result.requests,
  };
}

export function middleOf(rounds: readonly RoundResult[]): RoundResult {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p99Milliseconds: median(rounds.map(({ p99Milliseconds }) => p99Milliseconds)),
    microseconds: median(rounds.map(({ microseconds }) => microseconds)),
  };
}
