export { createControllerService } from './controller-service.ts';
export { createEventsService } from './events/events-service.ts';
