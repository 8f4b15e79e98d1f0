export { createBmcService } from './bmc-service.ts';
export type { BmcServiceConfig, BmcServiceDeps } from './config.ts';
export { createBmcEventReceiver } from './events/event-receiver.ts';
export { createBmcEventMetrics } from './events/metrics.ts';
export { createBmcMetrics } from './metrics.ts';
