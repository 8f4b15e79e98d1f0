/** A service that runs on one server at a time: started where the Lease is held, stopped before another may hold it. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Log, Random, Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import type { Store } from '@tinkerbell/store-contract';
import { createLeadership } from '@tinkerbell/engine-leadership';
import { createLeadershipMetrics } from './metrics/server-metrics.ts';

interface LedServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** `create` is called anew each time that this server begins to lead; the service must have no routes. */
export function createLedService(deps: LedServiceDeps, name: string, create: () => Service): Service {
  let running: Service | undefined;
  const leadership = createLeadership({
    ...deps,
    identity: `${hostname()}_${process.pid}_${randomUUID()}`,
    name: `tinkerbell-${name}`,
    async started(signal) {
      running = create();
      await running.start(signal);
    },
    async stopped() {
      await running?.stopped();
      running = undefined;
    },
  });
  const metrics = new MetricSet();
  createLeadershipMetrics(metrics).leading.from(() => [[{ name }, leadership.isLeading() ? 1 : 0]]);
  return {
    name,
    routes: [],
    start: (signal) => Promise.resolve(leadership.start(signal)),
    stopped: () => leadership.ended(),
    health: () => ({ ready: true }),
    metrics: { families: () => [...(running?.metrics?.families() ?? []), ...metrics.families()] },
  };
}
