import { Type, type Static } from './schema.ts';
import { RULES_MAX } from './schema-limits.ts';
import { described, document, mapOf, optional } from './schema-builders.ts';

const templateSettings = Type.Object({
  agentValue: optional(
    'Key of `hardwareMap` that gets the agent ID, for example `device_1`. The template reads it as the worker of its tasks.',
    Type.String(),
  ),
  kvs: optional(
    'More keys and values for `hardwareMap`, which the template reads by name.',
    mapOf(document()),
  ),
  ref: optional('Name of the Template, in the namespace of the created Workflow.', Type.String()),
});

const createdWorkflow = Type.Object({
  addAttributes: optional(
    'Copies the attributes that the agent reported into an annotation of the Workflow. Default: false.',
    Type.Boolean(),
  ),
  disabled: optional(
    'Creates the Workflow disabled: it does nothing until `spec.disabled` is cleared. Default: false.',
    Type.Boolean(),
  ),
  namespace: optional(
    'Namespace of the created Workflow. Default: the namespace of the WorkflowRuleSet.',
    Type.String(),
  ),
  template: optional('The Template to use and the values it gets.', templateSettings),
});

export const WorkflowRuleSetSpec = described(
  'Rules for matching machines, and the Workflow to create for them.',
  Type.Object({
    rules: optional(
      'Quamina patterns in JSON, matched against the attributes of an agent. One match is enough. The set with the most matching rules wins.',
      Type.Array(Type.String(), { maxItems: RULES_MAX }),
    ),
    workflow: optional('Settings of the Workflow to create on a match.', createdWorkflow),
  }),
);
export type WorkflowRuleSetSpec = Static<typeof WorkflowRuleSetSpec>;

export const WorkflowRuleSetStatus = described(
  'Observed state of the WorkflowRuleSet. It has no fields.',
  Type.Object({}),
);
export type WorkflowRuleSetStatus = Record<string, never>;
