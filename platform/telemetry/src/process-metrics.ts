/** Metrics of the process and of Node, under the names that Node dashboards expect (prom-client's). */
import { nextTurn, type Clock } from '@tinkerbell/platform-contract';

export interface ProcessMetrics {
  /** Returns the metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** The library takes 70 ms to load. Machines that wait for the server come first. */
const LOAD_AFTER_MS = 1000;

/**
 * Measures from one second after the start, or from the first request if that is earlier. It costs a timer that runs a hundred
 * times a second without entering JavaScript.
 */
export function createProcessMetrics(clock: Pick<Clock, 'schedule'>): ProcessMetrics {
  let registry: ReturnType<typeof measured> | undefined;
  const started = (): ReturnType<typeof measured> => (registry ??= measured());
  clock.schedule(LOAD_AFTER_MS, () => void started());
  return {
    async text() {
      const measuring = await started();
      let text = '';
      // All of them together take some milliseconds.
      for (const { name } of measuring.getMetricsAsArray()) {
        text += `${await measuring.getSingleMetricAsString(name)}\n`;
        await nextTurn();
      }
      return text.replaceAll(/\n{2,}/g, '\n');
    },
  };
}

async function measured() {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
