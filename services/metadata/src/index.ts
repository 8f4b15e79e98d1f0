export type { MetadataConfig, MetadataDeps } from './config.ts';
export { createMetadataService } from './metadata-service.ts';
