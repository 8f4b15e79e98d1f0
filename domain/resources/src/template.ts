import { document } from './schema-builders.ts';
import { Type, type Static } from './schema.ts';

export const TemplateSpec = Type.Object({
  data: Type.Optional(document()),
});
export type TemplateSpec = Static<typeof TemplateSpec>;

export const TemplateStatus = Type.Object({
  state: Type.Optional(Type.String()),
});
export type TemplateStatus = Static<typeof TemplateStatus>;
