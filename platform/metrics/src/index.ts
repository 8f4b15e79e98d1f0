export { Counter, Gauge, Histogram, SECONDS_BOUNDS, type Labels, type MetricFamily } from './family.ts';
export { MetricSet } from './metric-set.ts';
export { METRICS_CONTENT_TYPE, metricsText } from './metrics-text.ts';
