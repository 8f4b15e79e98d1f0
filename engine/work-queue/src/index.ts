export { WorkQueue, type Again, type Place, type QueueMetrics } from './work-queue.ts';
