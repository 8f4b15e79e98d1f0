export { METRICS_CONTENT_TYPE, metricsText, type MetricFamily, type Sample } from './metrics-text.ts';
export { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
