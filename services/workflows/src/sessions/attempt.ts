import { AttemptSchema, type Attempt } from '@tinkerbell/api/agent-v1';
import { create } from '@bufbuild/protobuf';
import type { Workflow } from '@tinkerbell/resources';
import type { ActionPlace } from '@tinkerbell/workflow';

export function attemptOf({ metadata }: Workflow, { action }: ActionPlace): Attempt {
  const workflowId = `${metadata.namespace}/${metadata.name}`;
  return create(AttemptSchema, { workflowId, actionId: action.id, number: action.attempt ?? 1 });
}

/** Returns a unique text for one attempt. */
export function attemptKey({ workflowId, actionId, number }: Omit<Attempt, '$typeName'>): string {
  return `${workflowId} ${actionId} ${number}`;
}

export function namesOf({ workflowId }: Pick<Attempt, 'workflowId'>): { namespace: string; name: string } {
  const [namespace = '', ...name] = workflowId.split('/');
  return { namespace, name: name.join('/') };
}
