export {
  BUILT_IN_ACTIONS,
  foreignImageWarning,
  foreignImagesIn,
  foreignImagesOf,
  type ForeignImage,
} from './action-image.ts';
export { imageReferenceProblem } from './image-reference.ts';
export {
  allowedReferences,
  parseReferenceRules,
  type AllowedReferences,
  type ObjectReference,
  type ParsedReferenceRules,
  type ReferenceRules,
} from './references.ts';
export type { RenderError, RenderStep } from './render-error.ts';
export {
  RENDERED_BYTES_MAX,
  type RenderInput,
  type RenderResult,
  renderTemplate,
  renderText,
  type TextOptions,
  type TextResult,
  validateTemplateText,
} from './render-template.ts';
export { hardwareStruct, type JsonObject, templateData } from './go/dot.ts';
export { TEMPLATE_FUNCTIONS, templateFunctions } from './functions/template-functions.ts';
export type {
  CertificateRequest,
  CertificateResult,
  KeyKind,
  TemplatePlatform,
} from './template-platform.ts';
export type { ActionDefinition, TaskDefinition, WorkflowDefinition } from './workflow-definition.ts';
