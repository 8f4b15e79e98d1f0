export { referencedKeys, renderInputOf, type RenderInputFound } from './render-input.ts';
export type { Rendered, RenderOwner, TemplateRenderer, TextsInput } from './template-renderer.ts';
