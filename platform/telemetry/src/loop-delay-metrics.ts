import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { nextTurn } from '@tinkerbell/platform-contract';
import type { MetricSet } from '@tinkerbell/platform-metrics';

const RESOLUTION_MS = 10;

/** Measures from now on. The returned function updates the metrics. Each of its calls begins a new measurement. */
export function declareLoopDelay(set: MetricSet): () => Promise<void> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const gauge = (name: string, help: string) => set.gauge(`nodejs_eventloop_lag_${name}`, help);
  const now = gauge('seconds', 'Lag of event loop in seconds.');
  const least = gauge('min_seconds', 'The minimum recorded event loop delay.');
  const most = gauge('max_seconds', 'The maximum recorded event loop delay.');
  const mean = gauge('mean_seconds', 'The mean of the recorded event loop delays.');
  const deviation = gauge('stddev_seconds', 'The standard deviation of the recorded event loop delays.');
  const percentiles = [50, 90, 99].map((percent) => ({
    percent,
    percentile: gauge(
      `p${percent}_seconds`,
      `The ${percent}th percentile of the recorded event loop delays.`,
    ),
  }));
  return async () => {
    const startedMs = performance.now();
    await nextTurn();
    now.set({}, (performance.now() - startedMs) / 1000);
    least.set({}, delays.min / 1e9);
    most.set({}, delays.max / 1e9);
    mean.set({}, delays.mean / 1e9);
    deviation.set({}, delays.stddev / 1e9);
    for (const { percent, percentile } of percentiles) percentile.set({}, delays.percentile(percent) / 1e9);
    delays.reset();
  };
}
