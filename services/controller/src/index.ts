export { createControllerService } from './controller-service.ts';
export type { Rendered, Renderer, TextsInput } from './renderer.ts';
