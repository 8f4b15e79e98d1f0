import { fileURLToPath } from 'node:url';

import { EXPLAINS, rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import type { CallPlan, CallResult, ReaderPlan } from './gateway-load-client.ts';
import {
  LIMIT_PER_SECOND,
  startHaproxy,
  startNginxGateway,
  startOurs,
  startSite,
  type Site,
  type Subject,
} from './gateway-subjects.ts';
import { httpLoad, requestText } from './http-load.ts';
import { alternate, median } from './rounds.ts';
import { processorSeconds, residentMegabytes, startProgram } from './running-program.ts';

const CLIENT = fileURLToPath(new URL('gateway-load-client.ts', import.meta.url));
const CALLS = { connections: 16, perSecond: 1000 } as const;
const ADDED_P99_GOAL_MS = 5;
const READERS_GOAL_MB = 300;
const LIMITED_CLIENTS = 500;
const READERS = { quick: 500, whole: 5000 } as const;

interface Subjects {
  readonly ours: Subject;
  readonly nginx: Subject;
  readonly haproxy: Subject;
}

export const gatewayBenchmark: Benchmark = {
  name: 'gateway',
  summary: `gRPC through TLS and a token at ${CALLS.perSecond}/s, a limit under ${LIMITED_CLIENTS} clients, ${READERS.whole} slow readers; beside nginx and HAProxy`,
  async run(context) {
    const site = await startSite(context);
    const subjects = {
      ours: await startOurs(context, site),
      nginx: await startNginxGateway(context, site),
      haproxy: await startHaproxy(context, site),
    };
    return [
      ...(await callRows(context, site, subjects)),
      ...(await limitRows(context, subjects)),
      ...(await readerRows(context, subjects)),
    ];
  },
};

async function answerOf<Answer>(context: BenchContext, plan: CallPlan | ReaderPlan) {
  const program = startProgram(context, { command: [process.execPath, CLIENT], channel: true });
  const answer = new Promise<Answer>((resolve, reject) => {
    program.process.once('message', (message) => resolve(message as Answer));
    void program.ended.then((code) => reject(new Error(`the load ended with ${code}: ${program.output()}`)));
  });
  program.process.send(plan);
  return { answer: await answer, stop: () => program.stop() };
}

interface Called extends CallResult {
  readonly microseconds: number;
}

async function called(
  context: BenchContext,
  plan: Omit<CallPlan, 'kind' | 'connections' | 'perSecond' | 'seconds'>,
  pid?: number,
): Promise<Called> {
  const before = pid === undefined ? 0 : processorSeconds(pid);
  const seconds = context.quick ? 3 : 10;
  const { answer } = await answerOf<CallResult>(context, { kind: 'calls', ...CALLS, seconds, ...plan });
  if (answer.failures > 0)
    throw new Error(`${answer.failures} of ${answer.calls} calls failed at ${plan.url}`);
  const used = pid === undefined ? 0 : processorSeconds(pid) - before;
  return { ...answer, microseconds: (used * 1e6) / answer.calls };
}

/** What each gateway adds to a call that goes directly to the upstream. */
async function callRows(
  context: BenchContext,
  { upstream, token }: Site,
  subjects: Subjects,
): Promise<readonly Row[]> {
  const through =
    ({ grpcPort, pid }: Subject) =>
    () =>
      called(context, { url: `https://localhost:${grpcPort}`, token }, pid);
  for (const subject of Object.values(subjects)) await through(subject)();
  const found = await alternate(context.quick ? 1 : 3, {
    direct: () => called(context, { url: `http://127.0.0.1:${upstream.grpcPort}` }),
    ours: through(subjects.ours),
    nginx: through(subjects.nginx),
    haproxy: through(subjects.haproxy),
  });
  const middle = (name: keyof typeof found, what: keyof Called) =>
    median(found[name].map((one) => one[what]));
  const added = (name: keyof typeof found, what: 'p50Milliseconds' | 'p99Milliseconds') =>
    // On a noisy machine a detour can appear shorter than the direct way.
    Math.max(0.01, middle(name, what) - middle('direct', what));
  return (['haproxy', 'nginx'] as const).flatMap((peer) => {
    const name = peer === 'haproxy' ? 'HAProxy' : 'nginx, no token';
    return [
      ...(['p50Milliseconds', 'p99Milliseconds'] as const).map((what) =>
        rowOf({
          name: `gRPC at ${CALLS.perSecond}/s, added ${what === 'p50Milliseconds' ? 'median' : '99 of 100'}`,
          value: added('ours', what),
          unit: 'ms',
          better: 'lower',
          peer: { name, value: added(peer, what) },
          goal: what === 'p99Milliseconds' ? { value: ADDED_P99_GOAL_MS } : { none: 'the slowest count' },
        }),
      ),
      rowOf({
        name: 'gRPC: processor time per call',
        value: middle('ours', 'microseconds'),
        unit: 'us',
        better: 'lower',
        peer: { name, value: middle(peer, 'microseconds') },
        goal: peer === 'haproxy' ? { ratio: 1 } : { none: 'nginx checks no token' },
      }),
    ];
  });
}

/** Requests twice the limit, and measures how far the accepted requests are from a burst and the rate. */
async function limitRows(context: BenchContext, subjects: Subjects): Promise<readonly Row[]> {
  const seconds = context.quick ? 4 : 10;
  const offBy = async ({ limitedPort: port }: Subject): Promise<number> => {
    const requests = [requestText({ host: 'a', path: '/' })];
    const plan = {
      host: '127.0.0.1',
      port,
      requests,
      connections: LIMITED_CLIENTS,
      seconds,
      rate: 2 * LIMIT_PER_SECOND,
    };
    const result = await httpLoad(context, plan);
    const wanted = LIMIT_PER_SECOND * (1 + result.seconds);
    return (Math.abs(result.requests - result.failures - wanted) / wanted) * 100;
  };
  return [
    rowOf({
      name: `limit of ${LIMIT_PER_SECOND}/s with ${LIMITED_CLIENTS} clients: off by`,
      value: await offBy(subjects.ours),
      unit: '%',
      better: 'lower',
      peer: { name: 'nginx', value: await offBy(subjects.nginx) },
      goal: { value: 2 },
    }),
  ];
}

async function readerRows(context: BenchContext, subjects: Subjects): Promise<readonly Row[]> {
  const count = context.quick ? READERS.quick : READERS.whole;
  const grown = async ({ httpPort: port, pid }: Subject): Promise<number> => {
    const before = residentMegabytes(pid);
    const { answer, stop } = await answerOf<number>(context, { kind: 'readers', port, count });
    if (answer !== count) throw new Error(`${answer} of ${count} readers began`);
    const after = residentMegabytes(pid);
    context.say(`${count} readers: from ${before.toFixed(0)} to ${after.toFixed(0)} MB`);
    await stop();
    return Math.max(0.1, after - before);
  };
  const [ours, nginx, haproxy] = [
    await grown(subjects.ours),
    await grown(subjects.nginx),
    await grown(subjects.haproxy),
  ];
  const name = `memory for ${count} readers that read nothing`;
  const row = { name, value: ours, unit: 'MB', better: 'lower' } as const;
  return [
    rowOf({ ...row, peer: { name: 'nginx', value: nginx }, goal: EXPLAINS }),
    rowOf({ ...row, peer: { name: 'HAProxy', value: haproxy }, goal: { value: READERS_GOAL_MB } }),
  ];
}
