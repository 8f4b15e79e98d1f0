/** What the clients of gRPC wait for the gateway, and for others in its place, beside hostile ones. */
import type { BenchContext, Row } from './benchmark.ts';
import {
  MINIMAL_GATEWAY,
  startHaproxy,
  startMinimalGateway,
  startOurGateway,
  startSite,
  type Subject,
} from './gateway-subjects.ts';
import { called, planOf } from './gateway.ts';
import {
  AS_ANOTHER_MACHINE,
  delaysOf,
  explainedRows,
  hostileClients,
  type Delays,
} from './hostile-delays.ts';

const CALLS_PER_SECOND = 1000;

export async function callRows(context: BenchContext): Promise<readonly Row[]> {
  // Only hostile clients use this upstream, which stands for another machine like them.
  const site = await startSite(context, AS_ANOTHER_MACHINE);
  const pace = { perSecond: CALLS_PER_SECOND, seconds: context.quick ? 2 : 5 };
  const nameOf = (through: string) => `gRPC through ${through} at ${CALLS_PER_SECOND}/s`;
  const delays = (through: string, subject: Subject): Promise<Delays> =>
    delaysOf(context, {
      name: nameOf(through),
      hostile: hostileClients({ http: subject.httpPort, http2: subject.httpPort, tls: subject.grpcPort }),
      pid: subject.pid,
      p99: async () => (await called(context, { ...pace, ...planOf(subject, site) })).p99Milliseconds,
    });
  const ours = await delays('the gateway', await startOurGateway(context, site));
  const minimal = await delays('a minimal program', await startMinimalGateway(context, site));
  const haproxy = await delays('HAProxy', await startHaproxy(context, site));
  return explainedRows(nameOf('the gateway'), ours, {
    minimal: { name: MINIMAL_GATEWAY, delays: minimal },
    peer: { name: 'HAProxy', delays: haproxy },
  });
}
