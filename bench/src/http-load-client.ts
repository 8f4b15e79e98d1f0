/**
 * The load of `http-load.ts`, a separate program so that it has its own processor: keep-alive connections
 * with one request at a time each. It reads a plan as JSON and prints the result as JSON. It uses sockets
 * directly, because a client library would be slower than the servers that are measured.
 */
import { connect, type Socket } from 'node:net';

import { quantile } from './rounds.ts';

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  /** Whole requests, used in turn, each with its own path and headers. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests per second, sent whether or not earlier ones have been answered. Absent: as fast as answers
   * arrive.
   */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Answers that were not 200. */
  readonly failures: number;
  /** From when a request was due to the end of its answer. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

const HEADERS_END = Buffer.from('\r\n\r\n');

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #dueMs = 0;
  #onAnswer: (isOk: boolean, dueMs: number) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  static async open(plan: LoadPlan): Promise<Connection> {
    const socket = connect(plan.port, plan.host);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Connection(socket);
  }

  ask(request: string, dueMs: number, onAnswer: (isOk: boolean, dueMs: number) => void): void {
    this.#dueMs = dueMs;
    this.#onAnswer = onAnswer;
    this.#socket.write(request);
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEADERS_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + HEADERS_END.length + length) return;
    this.#received = Buffer.alloc(0);
    this.#onAnswer(head.startsWith('HTTP/1.1 200'), this.#dueMs);
  }
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => Connection.open(plan)),
  );
  const delays: number[] = [];
  let failures = 0;
  let next = 0;
  const startedMs = performance.now();
  const endMs = startedMs + plan.seconds * 1000;
  const idle = [...connections];
  const waiting: number[] = [];
  const begin = (connection: Connection, dueMs: number): void => {
    const request = plan.requests[next % plan.requests.length] ?? '';
    next += 1;
    connection.ask(request, dueMs, (isOk, wasDueMs) => {
      const nowMs = performance.now();
      delays.push(nowMs - wasDueMs);
      if (!isOk) failures += 1;
      if (nowMs >= endMs) return;
      const due = plan.rate === undefined ? nowMs : waiting.shift();
      if (due === undefined) idle.push(connection);
      else begin(connection, due);
    });
  };
  if (plan.rate === undefined) for (const connection of idle) begin(connection, startedMs);
  else await paced(plan.rate, { startedMs, endMs, idle, waiting, begin });
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, endMs - performance.now()) + 50));
  for (const connection of connections) connection.end();
  return {
    requests: delays.length,
    seconds: (performance.now() - startedMs - 50) / 1000,
    failures,
    p50Milliseconds: quantile(delays, 0.5),
    p99Milliseconds: quantile(delays, 0.99),
  };
}

interface Pacing {
  readonly startedMs: number;
  readonly endMs: number;
  readonly idle: Connection[];
  readonly waiting: number[];
  readonly begin: (connection: Connection, dueMs: number) => void;
}

/**
 * Sends without pause what is due, because a timer of a millisecond would add to each delay. A request that
 * finds no free connection waits, and its delay counts.
 */
async function paced(rate: number, { startedMs, endMs, idle, waiting, begin }: Pacing): Promise<void> {
  for (let due = 0; performance.now() < endMs;) {
    const owed = Math.floor(((performance.now() - startedMs) / 1000) * rate);
    for (; due < owed; due += 1) {
      const dueMs = startedMs + (due / rate) * 1000;
      const connection = idle.shift();
      if (connection === undefined) waiting.push(dueMs);
      else begin(connection, dueMs);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

process.once('message', (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.exit(0)));
});
