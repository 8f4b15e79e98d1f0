export {
  Counter,
  Gauge,
  Histogram,
  SECONDS_BOUNDS,
  type CounterChild,
  type GaugeChild,
  type HistogramChild,
  type Labels,
  type MetricFamily,
} from './family.ts';
export { MetricSet, samplesOf, type MetricFamilies } from './metric-set.ts';
export { METRICS_CONTENT_TYPE, metricsText } from './metrics-text.ts';
