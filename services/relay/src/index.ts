export type { RelayConfig, RelayDeps } from './config.ts';
export { createRelayService } from './relay-service.ts';
export { createRelayMetrics } from './metrics.ts';
