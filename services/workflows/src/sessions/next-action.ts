/**
 * Assigns the next action of a workflow in the write that records the success of the one before. An agent whose stream of actions is
 * open gets it a commit earlier.
 */
import { actionAt, handedOutOf, type ActionPlace } from '@tinkerbell/workflow';
import type { EventOf } from '@tinkerbell/engine-workflow-events';
import type { Workflow } from '@tinkerbell/resources';
import type { NamespacedName, View } from '@tinkerbell/store-contract';
import { actionRequested, nextWorkflowOf } from '../action-requested.ts';
import { RpcError } from '../grpc/rpc-error.ts';
import { workflowsFor, type AgentDoor } from '../identity/agent-door.ts';
import type { Session } from './sessions.ts';

interface Deps {
  readonly view: View;
  readonly door: AgentDoor;
}

/**
 * Returns the event that assigns the next action of the workflow whose current action succeeds. Returns undefined when the stream of
 * actions has to find out what is next.
 */
export async function nextActionEvent(
  deps: Deps,
  { agentId, admit }: Session,
  place: NamespacedName,
): Promise<EventOf | undefined> {
  if (admit === undefined) return undefined;
  try {
    const speaker = await admit();
    const offered = workflowsFor(speaker, deps.view.workflowsByAgent(agentId));
    const workflow = nextWorkflowOf(offered, agentId, place);
    if (workflow === undefined) return undefined;
    await deps.door.bind(speaker, agentId, workflow);
    return actionRequested(deps.view, agentId);
  } catch (error) {
    // The stream asks again, and ends with the reason.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** Returns the action that was assigned between two versions of a workflow. */
export function assignedBetween(before: Workflow, after: Workflow, agentId: string): ActionPlace | undefined {
  const place = handedOutOf(after.status ?? {});
  if (place === undefined) return undefined;
  const attemptBefore = actionAt(before.status ?? {}, agentId, place.action.id)?.action.attempt ?? 0;
  return (place.action.attempt ?? 0) > attemptBefore ? place : undefined;
}
