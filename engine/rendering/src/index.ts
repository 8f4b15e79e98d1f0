export { referencedKeys, referencedObjects, renderInputOf, type RenderInputFound } from './render-input.ts';
export type { Preview, Rendered, RenderOwner, TemplateRenderer, TextsInput } from './template-renderer.ts';
