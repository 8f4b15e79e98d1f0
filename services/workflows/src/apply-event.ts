import type { Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import type { WorkflowEvent } from '@tinkerbell/workflow';

/** The state machine decides about a workflow, as in every service that changes one. */
export {
  applyWorkflowEvent as applyEvent,
  workflowCollection,
  type ApplyDeps,
} from '@tinkerbell/store-contract';

/** An agent asks for its next action; of which Hardware it does is recorded with the hand-out. */
export function actionRequested(view: View, agentId: string): (workflow: Workflow) => WorkflowEvent {
  return ({ metadata, spec }) => {
    const hardwareUid = view.hardwareNamed(metadata.namespace, spec?.hardwareRef ?? '')?.metadata.uid;
    return { kind: 'action-requested', agentId, ...(hardwareUid === undefined ? {} : { hardwareUid }) };
  };
}
