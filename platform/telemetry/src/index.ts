export { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
