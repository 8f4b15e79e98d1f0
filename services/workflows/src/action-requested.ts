import type { EventOf } from '@tinkerbell/engine-workflow-events';
import type { Workflow } from '@tinkerbell/resources';
import type { NamespacedName, View } from '@tinkerbell/store-contract';
import { chooseWorkflow } from '@tinkerbell/workflow';

/** An agent requests its next action. The Hardware that the agent belongs to is recorded with the assignment. */
export function actionRequested(view: View, agentId: string): EventOf {
  return (workflow) => {
    const hardwareUid = hardwareUidOf(view, workflow);
    return { kind: 'action-requested', agentId, ...(hardwareUid === undefined ? {} : { hardwareUid }) };
  };
}

/** Returns the current uid of the Hardware that the workflow names. */
export function hardwareUidOf(view: View, { metadata, spec }: Workflow): string | undefined {
  return view.hardwareNamed(metadata.namespace, spec?.hardwareRef ?? '')?.metadata.uid;
}

/** Returns the workflow of that name if it is the one, of those of an agent, that its next action belongs to. */
export function nextWorkflowOf(
  workflows: readonly Workflow[],
  agentId: string,
  { namespace, name }: NamespacedName,
): Workflow | undefined {
  const choice = chooseWorkflow(workflows, agentId);
  if ('nothing' in choice) return undefined;
  const { metadata } = choice.workflow;
  return metadata.namespace === namespace && metadata.name === name ? choice.workflow : undefined;
}
