/** The steps from a new workflow to one whose actions are known. */
import type { WorkflowStatus } from '@tinkerbell/resources';
import { conditionOf, withCondition } from './condition.ts';
import { arrive } from './execution-steps.ts';
import { statusOf } from './first-status.ts';
import { accept, refuse, type EventOf, type Transition, type TransitionContext } from './step.ts';

const RENDERED = 'TemplateRenderedSuccess';

/** The whole status is new (as upstream), except for the operations of operators. */
export function render(
  status: WorkflowStatus,
  event: EventOf<'template-rendered'>,
  context: TransitionContext,
): Transition {
  const { operations } = status;
  const rendered: WorkflowStatus = {
    ...statusOf(event.rendered, context.nextId),
    state: 'PENDING',
    templateRendering: 'successful',
    ...(operations === undefined ? {} : { operations }),
  };
  const text = { type: RENDERED, reason: 'Complete', message: 'template rendered successfully' };
  const told = withCondition(rendered, text, context);
  return accept(event.needsPreparation ? { ...told, state: 'PREPARING' } : arrive(told, context));
}

/** The workflow stays unchanged, so that it renders later with a fixed Template or Hardware. */
export function failRendering(
  status: WorkflowStatus,
  event: EventOf<'rendering-failed'>,
  context: TransitionContext,
): Transition {
  const { message } = event;
  if (conditionOf(status, RENDERED)?.message === message) return refuse('already-reported');
  const text = { type: RENDERED, status: 'False', reason: 'Error', message } as const;
  return accept(withCondition({ ...status, templateRendering: 'failed' }, text, context));
}

/** The agent of a disabled workflow finds it, and gets the answer that there are no tasks (upstream). */
export function nameAgent(status: WorkflowStatus, event: EventOf<'agent-named'>): Transition {
  if (status.agentID === event.agentId) return refuse('nothing-to-change');
  return accept({ ...status, agentID: event.agentId });
}
