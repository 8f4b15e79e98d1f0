/** Builds the Workflow that a rule set creates for an agent (upstream enrollment.go). */
import {
  apiVersionOf,
  workflowKind,
  workflowRuleSetKind,
  type Hardware,
  type ObjectMeta,
  type Workflow,
  type WorkflowRuleSet,
  type WorkflowSpec,
} from '@tinkerbell/resources';
import { attributesAnnotation, type AttributesJson } from './attributes-json.ts';
import type { EnrollmentRefusal } from './enrollment-refusal.ts';
import { makeValidName } from './valid-name.ts';

export const ENROLLED_LABEL = 'tinkerbell.org/auto-enrollment';

export interface Enrollment {
  readonly agentId: string;
  readonly ruleSet: WorkflowRuleSet;
  readonly hardware?: Hardware | undefined;
  readonly attributes?: AttributesJson | undefined;
}

export type EnrolledWorkflow =
  | { readonly ok: true; readonly workflow: Workflow }
  | { readonly ok: false; readonly refusal: EnrollmentRefusal };

/** A rule set without a namespace uses its own. Upstream's Workflow would be refused. */
export function enrolledWorkflow({ agentId, ruleSet, hardware, attributes }: Enrollment): EnrolledWorkflow {
  const valid = makeValidName(agentId, 'enrollment-');
  if (!valid.ok)
    return {
      ok: false,
      refusal: {
        code: 'internal',
        message: `error making agentID a valid Kubernetes name: ${valid.message}`,
      },
    };
  const { workflow: made } = ruleSet.spec ?? {};
  const workflow: Workflow = {
    apiVersion: apiVersionOf(workflowKind),
    kind: workflowKind.kind,
    metadata: metadataOf(valid.name, ruleSet, made?.addAttributes === true ? attributes : undefined),
    spec: specOf(agentId, made ?? {}, hardware),
  };
  return { ok: true, workflow };
}

type Made = NonNullable<NonNullable<WorkflowRuleSet['spec']>['workflow']>;

function specOf(agentId: string, made: Made, hardware: Hardware | undefined): WorkflowSpec {
  const { agentValue = '', kvs, ref } = made.template ?? {};
  return {
    ...(ref === undefined ? {} : { templateRef: ref }),
    ...(made.disabled === undefined ? {} : { disabled: made.disabled }),
    ...(hardware === undefined ? {} : { hardwareRef: hardware.metadata.name }),
    hardwareMap: { ...(agentValue === '' ? {} : { [agentValue]: agentId }), ...kvs },
  };
}

function metadataOf(
  name: string,
  ruleSet: WorkflowRuleSet,
  attributes: AttributesJson | undefined,
): ObjectMeta {
  const { metadata, spec } = ruleSet;
  const annotations = attributesAnnotation(attributes);
  return {
    name,
    namespace: spec?.workflow?.namespace || metadata.namespace,
    labels: { [ENROLLED_LABEL]: 'true' },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ownerReferences: [
      {
        apiVersion: apiVersionOf(workflowRuleSetKind),
        kind: workflowRuleSetKind.kind,
        name: metadata.name,
        uid: metadata.uid ?? '',
      },
    ],
  };
}
