export { createControllerService } from './controller-service.ts';
export { createEventsService } from './events/events-service.ts';
export { createControllerMetrics, createEventsMetrics } from './metrics.ts';
