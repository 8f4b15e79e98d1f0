import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import type { CallPlan, CallResult } from './gateway-load-client.ts';
import { gatewayLoad } from './gateway-load.ts';
import {
  MINIMAL_GATEWAY,
  startGateways,
  startSite,
  type Gateways,
  type Site,
  type Subject,
} from './gateway-subjects.ts';
import { alternate, median } from './rounds.ts';
import { processorSeconds } from './running-program.ts';

const CONNECTIONS = 16;
const RATES = [1000, 3000] as const;
const ADDED_P99_GOAL_MS = 5;
const SECONDS = { quick: 3, usual: 5 } as const;
/** A gateway runs for months. V8 still compiles in the first 30,000 calls. */
const WARM_UP = { perSecond: 3000, seconds: 10 } as const;

export const gatewayBenchmark: Benchmark = {
  name: 'gateway',
  summary: `gRPC through TLS and a token at ${RATES.join(' and ')} calls a second; beside nginx and HAProxy`,
  async run(context) {
    const site = await startSite(context);
    const subjects = await startGateways(context, site);
    for (const subject of Object.values(subjects))
      await called(context, { ...WARM_UP, ...planOf(subject, site) }, subject.pid);
    const rows: Row[] = [];
    for (const rate of RATES) rows.push(...(await callRows(context, site, { subjects, rate })));
    return rows;
  },
};

type Load = Omit<CallPlan, 'kind' | 'connections'>;

export function planOf({ grpcPort }: Subject, { token }: Site): Pick<Load, 'url' | 'token'> {
  return { url: `https://localhost:${grpcPort}`, token };
}

interface Called extends CallResult {
  readonly microseconds: number;
}

export async function called(context: BenchContext, load: Load, pid?: number): Promise<Called> {
  const before = pid === undefined ? 0 : processorSeconds(pid);
  const plan = { kind: 'calls', connections: CONNECTIONS, ...load } as const;
  const { answer } = await gatewayLoad<CallResult>(context, plan);
  if (answer.failures > 0)
    throw new Error(`${answer.failures} of ${answer.calls} calls failed at ${plan.url}`);
  const used = pid === undefined ? 0 : processorSeconds(pid) - before;
  return { ...answer, microseconds: (used * 1e6) / answer.calls };
}

/** What each gateway adds to a call that goes directly to the upstream. */
async function callRows(
  context: BenchContext,
  site: Site,
  { subjects, rate }: { readonly subjects: Gateways; readonly rate: number },
): Promise<readonly Row[]> {
  const pace = { perSecond: rate, seconds: context.quick ? SECONDS.quick : SECONDS.usual };
  const through = (subject: Subject) => () =>
    called(context, { ...pace, ...planOf(subject, site) }, subject.pid);
  const found = await alternate(context.quick ? 1 : 3, {
    direct: () => called(context, { ...pace, url: `http://127.0.0.1:${site.upstream.grpcPort}` }),
    ours: through(subjects.ours),
    nginx: through(subjects.nginx),
    haproxy: through(subjects.haproxy),
    minimal: through(subjects.minimal),
  });
  const floor = (value: number) => ({ name: MINIMAL_GATEWAY, value });
  const middle = (name: keyof typeof found, what: keyof Called) =>
    median(found[name].map((one) => one[what]));
  const added = (name: keyof typeof found, what: 'p50Milliseconds' | 'p99Milliseconds') =>
    // On a noisy machine a detour can appear shorter than the direct way.
    Math.max(0.01, middle(name, what) - middle('direct', what));
  const [usual, least] = [middle('ours', 'microseconds'), middle('minimal', 'microseconds')];
  context.say(`${rate}/s: ${usual.toFixed(0)} us for each call, ${least.toFixed(0)} of a minimal program`);
  return (['haproxy', 'nginx'] as const).flatMap((peer) => {
    const name = peer === 'haproxy' ? 'HAProxy' : 'nginx, no token';
    return [
      ...(['p50Milliseconds', 'p99Milliseconds'] as const).map((what) =>
        rowOf({
          name: `gRPC at ${rate}/s, added ${what === 'p50Milliseconds' ? 'median' : '99 of 100'}`,
          value: added('ours', what),
          unit: 'ms',
          better: 'lower',
          peer: { name, value: added(peer, what) },
          floor: floor(added('minimal', what)),
          goal: what === 'p99Milliseconds' ? { value: ADDED_P99_GOAL_MS } : { none: 'the slowest count' },
        }),
      ),
      rowOf({
        name: `gRPC at ${rate}/s: processor time per call`,
        value: middle('ours', 'microseconds'),
        unit: 'us',
        better: 'lower',
        peer: { name, value: middle(peer, 'microseconds') },
        floor: floor(middle('minimal', 'microseconds')),
        goal: peer === 'haproxy' ? { ratio: 1 } : { none: 'nginx checks no token' },
      }),
    ];
  });
}
