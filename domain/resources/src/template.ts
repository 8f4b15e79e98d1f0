import { described, document, optional } from './schema-builders.ts';
import { Type, type Static } from './schema.ts';

export const TemplateSpec = described(
  'Contents of the Template.',
  Type.Object({
    data: optional(
      'Go template text. Rendered with the values of a Hardware and a Workflow, it must produce a YAML document with tasks and actions.',
      document(),
    ),
  }),
);
export type TemplateSpec = Static<typeof TemplateSpec>;

export const TemplateStatus = described(
  'Observed state of the Template. No controller writes it.',
  Type.Object({
    state: optional('Shown in the State column. No controller sets it.', Type.String()),
  }),
);
export type TemplateStatus = Static<typeof TemplateStatus>;
