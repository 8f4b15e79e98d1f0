/**
 * The load of `gateway.ts`, a separate program: calls of gRPC at a steady rate, or readers that read nothing.
 * A plan arrives as a message.
 */
import { connect } from 'node:net';

import { LoadGrpc } from './load-grpc.ts';
import { quantile } from './rounds.ts';

export interface CallPlan {
  readonly kind: 'calls';
  /** `http` is h2c. The certificate is not verified. */
  readonly url: string;
  readonly token?: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface CallResult {
  readonly calls: number;
  /** The calls whose status was not 0. */
  readonly failures: number;
  /** From when a call was due to its trailers. Those of the first second are not measured. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

export interface ReaderPlan {
  readonly kind: 'readers';
  readonly port: number;
  readonly count: number;
}

/** V8 compiles this load in it. */
const WARM_UP_SECONDS = 1;
const MESSAGE = Buffer.alloc(100);
const ECHO = {
  path: '/bench.Service/Echo',
  requestSerialize: (message: Buffer) => message,
  responseDeserialize: (message: Buffer) => message,
};

async function calls(plan: CallPlan): Promise<CallResult> {
  const sessions = await Promise.all(Array.from({ length: plan.connections }, () => opened(plan)));
  const delays: number[] = [];
  let failures = 0;
  const under = new Set<Promise<void>>();
  const startedMs = performance.now();
  const warmMs = startedMs + WARM_UP_SECONDS * 1000;
  const total = plan.perSecond * (WARM_UP_SECONDS + plan.seconds);
  for (let due = 0; due < total;) {
    const owed = Math.min(total, Math.floor(((performance.now() - startedMs) / 1000) * plan.perSecond));
    for (; due < owed; due += 1) {
      const dueMs = startedMs + (due * 1000) / plan.perSecond;
      const session = sessions[due % sessions.length];
      if (session === undefined) break;
      const one = call(session).then((isOk) => {
        if (dueMs > warmMs) delays.push(performance.now() - dueMs);
        if (!isOk) failures += 1;
        under.delete(one);
      });
      under.add(one);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
  for (const session of sessions) session.close();
  return {
    calls: total,
    failures,
    p50Milliseconds: quantile(delays, 0.5),
    p99Milliseconds: quantile(delays, 0.99),
  };
}

function opened({ url, token }: CallPlan): Promise<LoadGrpc> {
  const { protocol, host } = new URL(url);
  return LoadGrpc.open(host, { secure: protocol === 'https:', token });
}

async function call(session: LoadGrpc): Promise<boolean> {
  try {
    return (await session.unary(ECHO, MESSAGE)).length === MESSAGE.length;
  } catch {
    return false;
  }
}

const READERS_AT_ONCE = 50;

/** Each requests the large answer, reads its beginning and then nothing, until this process is ended. */
async function readers({ port, count }: ReaderPlan): Promise<number> {
  let begun = 0;
  for (let left = count; left > 0; left -= READERS_AT_ONCE) {
    const some = Array.from({ length: Math.min(left, READERS_AT_ONCE) }, () => reader(port));
    for (const hasBegun of await Promise.all(some)) begun += hasBegun ? 1 : 0;
  }
  return begun;
}

function reader(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', () => {
      socket.pause();
      resolve(true);
    });
    socket.once('close', () => resolve(false));
  });
}

process.once('message', (plan: CallPlan | ReaderPlan) => {
  if (plan.kind === 'readers') {
    // A paused socket does not keep a process running.
    setInterval(() => undefined, 60_000);
    return void readers(plan).then((begun) => process.send?.(begun));
  }
  return void calls(plan).then((result) => process.send?.(result, () => process.exit(0)));
});
