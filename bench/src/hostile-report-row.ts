/** What agents wait for their next action beside hostile clients. */
import { join } from 'node:path';

import { runOnce } from './action-rows.ts';
import type { BenchContext, Row } from './benchmark.ts';
import { delayRow, delaysOf, hostileClients, portOf } from './hostile-delays.ts';
import { quantile } from './rounds.ts';
import { startOnLoopback } from './tinkerbell-server.ts';
import { createSite } from './workflow-objects.ts';

const TRANSITIONS_PER_SECOND = 1000;

export async function reportRow(context: BenchContext): Promise<Row> {
  const agents = context.quick ? 100 : 300;
  const server = await startOnLoopback(context, { dataDirectory: join(context.directory, 'reports') });
  await createSite(server.url, agents);
  const [http, http2] = [portOf(server.url), portOf(server.grpcAddress)];
  const actionMs = (agents * 3 * 1000) / TRANSITIONS_PER_SECOND;
  let round = 0;
  const name = `report to next action at ${TRANSITIONS_PER_SECOND} transitions/s`;
  const delays = await delaysOf(context, {
    name,
    hostile: hostileClients({ http, http2, tls: http }),
    pid: server.pid,
    p99: async () => {
      round += 1;
      const load = { server, protocol: 'sessions', agents } as const;
      const { nextActionMs } = await runOnce(context, load, { phase: `hostile-${round}`, actionMs });
      return quantile(nextActionMs, 0.99);
    },
  });
  await server.stop();
  return delayRow(name, delays);
}
