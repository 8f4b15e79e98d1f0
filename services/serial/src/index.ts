export type { SerialConfig, SerialDeps } from './config.ts';
export { RECORD_ANNOTATION } from './recording/console-recorder.ts';
export { createSerialMetrics } from './metrics.ts';
export { createSerialService, type SerialService } from './serial-service.ts';
