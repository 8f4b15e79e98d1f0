/** What keeps the event loop alive: connections, timers, and the like. */
import type { MetricSet } from '@tinkerbell/platform-metrics';

export function declareActivity(set: MetricSet): void {
  const groups = [
    {
      name: 'nodejs_active_resources',
      help: 'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
      all: 'Total number of active resources.',
      types: () => process.getActiveResourcesInfo(),
    },
    {
      name: 'nodejs_active_handles',
      help: 'Number of active libuv handles grouped by handle type. Every handle type is C++ class name.',
      all: 'Total number of active handles.',
      types: () => classesFrom('_getActiveHandles'),
    },
    {
      name: 'nodejs_active_requests',
      help: 'Number of active libuv requests grouped by request type. Every request type is C++ class name.',
      all: 'Total number of active requests.',
      types: () => classesFrom('_getActiveRequests'),
    },
  ];
  for (const { name, help, all, types } of groups) {
    set.gauge(name, help, ['type']).from(() => countsOf(types()));
    set.gauge(`${name}_total`, all).from(() => types().length);
  }
}

function* countsOf(types: readonly string[]) {
  for (const [type, { length }] of Map.groupBy(types, (one) => one)) yield [{ type }, length] as const;
}

/** Node has these functions for such metrics, and does not document them. */
function classesFrom(method: string): readonly string[] {
  const read: unknown = Reflect.get(process, method);
  const found: unknown = typeof read === 'function' ? Reflect.apply(read, process, []) : [];
  return Array.isArray(found) ? found.map((one: object) => one.constructor.name) : [];
}
