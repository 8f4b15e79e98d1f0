import { Type, type Static } from './schema.ts';
import { RULES_MAX } from './schema-limits.ts';
import { document, mapOf } from './schema-builders.ts';

export const WorkflowRuleSetSpec = Type.Object({
  rules: Type.Optional(Type.Array(Type.String(), { maxItems: RULES_MAX })),
  workflow: Type.Optional(
    Type.Object({
      addAttributes: Type.Optional(Type.Boolean()),
      disabled: Type.Optional(Type.Boolean()),
      namespace: Type.Optional(Type.String()),
      template: Type.Optional(
        Type.Object({
          agentValue: Type.Optional(Type.String()),
          kvs: Type.Optional(mapOf(document())),
          ref: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
});
export type WorkflowRuleSetSpec = Static<typeof WorkflowRuleSetSpec>;

export const WorkflowRuleSetStatus = Type.Object({});
export type WorkflowRuleSetStatus = Record<string, never>;
