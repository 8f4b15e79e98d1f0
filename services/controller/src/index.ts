export { createControllerService } from './controller-service.ts';
