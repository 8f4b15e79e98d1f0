export {
  createRegistryService,
  type MirrorConfig,
  type RegistryConfig,
  type RegistryDeps,
} from './registry-service.ts';
export { createRegistryMetrics } from './metrics.ts';
