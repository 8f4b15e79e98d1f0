/**
 * Metrics of the process and of Node, under the names and with the help that Node dashboards expect, which are those of prom-client.
 */
import { nextTurn, type Clock } from '@tinkerbell/platform-contract';
import { metricsText, MetricSet } from '@tinkerbell/platform-metrics';
import { declareActivity } from './activity-metrics.ts';
import { declareCollections } from './collection-metrics.ts';
import { declareLoopDelay } from './loop-delay-metrics.ts';
import { declareMemory } from './memory-metrics.ts';
import { declareFiles, declareHeap, declareProcessor, declareVersion } from './node-metrics.ts';

export interface ProcessMetrics {
  /** Returns the metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** What the start does is not a delay that somebody can change. */
const MEASURED_AFTER_MS = 1000;

/**
 * Measures from one second after the start, or from the first request if that is earlier. It costs a timer that runs a hundred
 * times a second without entering JavaScript.
 */
export function createProcessMetrics(clock: Pick<Clock, 'nowMs' | 'schedule'>): ProcessMetrics {
  let measuring: ReturnType<typeof measured> | undefined;
  const started = (): ReturnType<typeof measured> => (measuring ??= measured(clock));
  clock.schedule(MEASURED_AFTER_MS, () => void started());
  return {
    async text() {
      const { set, takeDelays } = started();
      await takeDelays();
      let text = '';
      // With many connections, all of them together take some milliseconds.
      for (const family of set.families()) {
        text += metricsText([family]);
        await nextTurn();
      }
      return text;
    },
  };
}

function measured(clock: Pick<Clock, 'nowMs'>) {
  const set = new MetricSet();
  declareProcessor(set, clock);
  declareMemory(set);
  declareFiles(set);
  const takeDelays = declareLoopDelay(set);
  declareActivity(set);
  declareHeap(set);
  declareVersion(set);
  declareCollections(set);
  return { set, takeDelays };
}
