export { createBmcService } from './bmc-service.ts';
export type { BmcServiceConfig, BmcServiceDeps } from './config.ts';
export { createBmcMetrics } from './metrics.ts';
