export type { MetadataConfig, MetadataDeps } from './config.ts';
export { createMetadataService } from './metadata-service.ts';
export { createMetadataMetrics } from './metrics.ts';
