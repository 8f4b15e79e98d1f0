export type { SerialConfig, SerialDeps } from './config.ts';
export { createSerialMetrics } from './metrics.ts';
export { createSerialService, type SerialService } from './serial-service.ts';
