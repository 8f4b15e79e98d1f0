/**
 * The load of `gateway.ts`, a separate program: calls of gRPC at a steady rate, or readers that read nothing.
 * A plan arrives as a message.
 */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:net';

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
  /** From when a call was due to its trailers. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

export interface ReaderPlan {
  readonly kind: 'readers';
  readonly port: number;
  readonly count: number;
}

/** A message of gRPC of 100 bytes, with its prefix. */
const MESSAGE = Buffer.concat([Buffer.from([0, 0, 0, 0, 100]), Buffer.alloc(100)]);

async function calls(plan: CallPlan): Promise<CallResult> {
  const sessions = await Promise.all(Array.from({ length: plan.connections }, () => opened(plan.url)));
  const delays: number[] = [];
  let failures = 0;
  const under = new Set<Promise<void>>();
  const startedMs = performance.now();
  const total = plan.perSecond * plan.seconds;
  for (let due = 0; due < total;) {
    const owed = Math.min(total, Math.floor(((performance.now() - startedMs) / 1000) * plan.perSecond));
    for (; due < owed; due += 1) {
      const dueMs = startedMs + (due * 1000) / plan.perSecond;
      const session = sessions[due % sessions.length];
      if (session === undefined) break;
      const one = call(session, plan.token).then((isOk) => {
        delays.push(performance.now() - dueMs);
        if (!isOk) failures += 1;
        under.delete(one);
      });
      under.add(one);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
  for (const session of sessions) session.destroy();
  return {
    calls: delays.length,
    failures,
    p50Milliseconds: quantile(delays, 0.5),
    p99Milliseconds: quantile(delays, 0.99),
  };
}

async function opened(url: string): Promise<ClientHttp2Session> {
  const session = connectHttp2(url, { rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    session.once('remoteSettings', () => resolve());
    session.once('error', reject);
  });
  return session;
}

function call(session: ClientHttp2Session, token: string | undefined): Promise<boolean> {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/bench.Service/Echo',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });
  let status: unknown;
  stream.on('trailers', (fields) => {
    status = fields['grpc-status'];
  });
  stream.on('error', () => undefined);
  stream.resume();
  stream.end(MESSAGE);
  return new Promise((resolve) => stream.once('close', () => resolve(status === '0')));
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
