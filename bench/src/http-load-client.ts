/**
 * The load of `http-load.ts`, a separate program so that it has its own processor: keep-alive connections
 * with one request at a time each. A plan arrives as a message. The load says when it is connected, begins with the
 * next message, and sends its result.
 */
import { once } from 'node:events';
import { cpus } from 'node:os';

import { LoadConnection, type LoadServer } from './load-connection.ts';
import { quantile } from './rounds.ts';

export interface LoadPlan extends LoadServer {
  /** Whole requests, used in turn, each with its own path and headers. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests per second, sent whether or not earlier ones have been answered. Absent: as fast as answers
   * arrive.
   */
  readonly rate?: number;
  /**
   * Leaves the processor to others between requests. Delays count from when a request is sent, and not from when
   * this program was to wake up.
   */
  readonly sleeps?: boolean;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Of the load itself. */
  readonly processorSeconds: number;
  /** The busy part of all processors of the machine, from 0 to 1. */
  readonly busyPart: number;
  /** Answers that were not 200, requests without an answer, and connections that the server closed. */
  readonly failures: number;
  /** From when a request was due to the end of its answer. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

/** How long the last answers may take after the end. Requests without one by then have failed. */
const GRACE_MS = 1000;
const LOOK_AGAIN_MS = 5;

async function run(plan: LoadPlan): Promise<LoadResult> {
  const delays: number[] = [];
  let failures = 0;
  const onClosed = (): void => void (failures += 1);
  const connections = Array.from({ length: plan.connections }, () => new LoadConnection(plan, onClosed));
  await Promise.all(connections.map((connection) => connection.open()));
  let next = 0;
  await permission();
  const usage = usageFromNow();
  const startedMs = performance.now();
  const endMs = startedMs + plan.seconds * 1000;
  let lastMs = startedMs;
  const idle = [...connections];
  const waiting: number[] = [];
  const open = new Set<number>();
  const begin = (connection: LoadConnection, dueMs: number): void => {
    const request = plan.requests[next % plan.requests.length] ?? '';
    const number = next;
    next += 1;
    open.add(number);
    connection.ask(request, dueMs, (isOk, wasDueMs) => {
      lastMs = performance.now();
      open.delete(number);
      delays.push(lastMs - wasDueMs);
      if (!isOk) failures += 1;
      const due = plan.rate === undefined && lastMs < endMs ? lastMs : waiting.shift();
      if (due === undefined) idle.push(connection);
      else begin(connection, due);
    });
  };
  if (plan.rate === undefined) for (const connection of idle.splice(0)) begin(connection, startedMs);
  else await paced(plan.rate, { startedMs, endMs, idle, waiting, begin, sleeps: plan.sleeps ?? false });
  await until(endMs, () => false);
  await until(endMs + GRACE_MS, () => open.size + waiting.length === 0);
  const used = usage();
  for (const connection of connections) connection.end();
  const unanswered = open.size + waiting.length;
  return {
    requests: delays.length + unanswered,
    seconds: (lastMs - startedMs) / 1000,
    ...used,
    failures: failures + unanswered,
    p50Milliseconds: quantile(delays, 0.5),
    p99Milliseconds: quantile(delays, 0.99),
  };
}

/** Reports that the load is connected. Resolves when all loads are. */
async function permission(): Promise<void> {
  const permitted = once(process, 'message');
  process.send?.('connected');
  await permitted;
}

function usageFromNow(): () => Pick<LoadResult, 'processorSeconds' | 'busyPart'> {
  const [ownBefore, allBefore] = [process.cpuUsage(), timesOfAll()];
  return () => {
    const { user, system } = process.cpuUsage(ownBefore);
    const all = timesOfAll();
    const idlePart = (all.idleMs - allBefore.idleMs) / (all.wholeMs - allBefore.wholeMs);
    return { processorSeconds: (user + system) / 1e6, busyPart: 1 - idlePart };
  };
}

function timesOfAll(): { readonly idleMs: number; readonly wholeMs: number } {
  const all = cpus().map(({ times }) => times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    idleMs: sum(all.map(({ idle }) => idle)),
    wholeMs: sum(all.flatMap((times) => Object.values(times))),
  };
}

async function until(deadlineMs: number, isDone: () => boolean): Promise<void> {
  while (!isDone() && performance.now() < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}

interface Pacing {
  readonly startedMs: number;
  readonly endMs: number;
  readonly idle: LoadConnection[];
  readonly waiting: number[];
  readonly begin: (connection: LoadConnection, dueMs: number) => void;
  readonly sleeps: boolean;
}

const SLEEP_MS = 1;

/**
 * Unless it sleeps, it sends without pause what is due, because a timer of a millisecond would add to each delay. A
 * request that finds no free connection waits, and its delay counts.
 */
async function paced(rate: number, pacing: Pacing): Promise<void> {
  const { startedMs, endMs, idle, waiting, begin, sleeps } = pacing;
  for (let due = 0; performance.now() < endMs;) {
    const owed = Math.floor(((performance.now() - startedMs) / 1000) * rate);
    for (; due < owed; due += 1) {
      const dueMs = sleeps ? performance.now() : startedMs + (due / rate) * 1000;
      const connection = idle.shift();
      if (connection === undefined) waiting.push(dueMs);
      else begin(connection, dueMs);
    }
    await new Promise<void>(
      (resolve) => void (sleeps ? setTimeout(resolve, SLEEP_MS) : setImmediate(resolve)),
    );
  }
}

process.once('message', (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.exit(0)));
});
