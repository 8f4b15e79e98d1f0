export { createRegistryService } from './registry-service.ts';
export type { MirrorConfig, RegistryConfig, RegistryDeps } from './registry.ts';
export { createRegistryMetrics } from './metrics.ts';
