export { createImagesService, type ImagesConfig, type ImagesDeps } from './images-service.ts';
export type { OnTransfer, TransferProgress } from './transfer.ts';
export { createImagesMetrics } from './metrics.ts';
