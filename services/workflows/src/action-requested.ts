import type { Workflow } from '@tinkerbell/resources';
import type { View } from '@tinkerbell/store-contract';
import type { WorkflowEvent } from '@tinkerbell/workflow';

/** An agent asks for its next action; of which Hardware it does is recorded with the hand-out. */
export function actionRequested(view: View, agentId: string): (workflow: Workflow) => WorkflowEvent {
  return ({ metadata, spec }) => {
    const hardwareUid = view.hardwareNamed(metadata.namespace, spec?.hardwareRef ?? '')?.metadata.uid;
    return { kind: 'action-requested', agentId, ...(hardwareUid === undefined ? {} : { hardwareUid }) };
  };
}
