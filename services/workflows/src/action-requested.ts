import type { EventOf } from '@tinkerbell/engine-workflow-events';
import type { View } from '@tinkerbell/store-contract';

/** An agent requests its next action. The Hardware that the agent belongs to is recorded with the assignment. */
export function actionRequested(view: View, agentId: string): EventOf {
  return ({ metadata, spec }) => {
    const hardwareUid = view.hardwareNamed(metadata.namespace, spec?.hardwareRef ?? '')?.metadata.uid;
    return { kind: 'action-requested', agentId, ...(hardwareUid === undefined ? {} : { hardwareUid }) };
  };
}
