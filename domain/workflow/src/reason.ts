/** The reason why an event changes nothing, as a word to count and as a sentence with a fix. */
import type { WorkflowStatus } from '@tinkerbell/resources';
import { isTerminal } from './state.ts';

const texts = {
  'already-rendered': 'the workflow is already rendered; delete and create it to render the template again',
  'not-rendered': 'the workflow is not rendered yet; its condition TemplateRenderedSuccess states the reason',
  'not-preparing': 'the workflow is not in the state PREPARING',
  'still-preparing':
    'the machine is being prepared to boot; wait for the state PENDING, or cancel the workflow',
  'not-booting': 'the workflow has no boot phase now: it is neither PREPARING nor in POST',
  'not-running': 'the workflow is not in the state RUNNING',
  'not-in-post': 'the workflow is not in the state POST',
  'workflow-finished': 'the workflow is finished; retry it to run it again',
  'not-finished': 'the workflow is not finished; cancel it first, then retry',
  'nothing-failed': 'nothing in the workflow failed; retry it from the start or from an action',
  'no-next-action': 'no action is left to be assigned',
  'not-this-agent': "it is another agent's turn",
  'action-not-found': 'action not found',
  'another-task': 'the action is not in the task that the report names',
  'action-not-current': 'the action is not the current one of the workflow',
  'attempt-over': 'this attempt of the action has ended; the next begins when the action is assigned again',
  'already-reported': 'this is already known',
  'deadline-ahead': 'no deadline has passed',
  'backing-off': 'the action failed and waits for its retry; its notBefore has the time',
  paused: 'the workflow is paused; resume it',
  'already-paused': 'the workflow is already paused; resume it to continue',
  'not-paused': 'the workflow is not paused',
  'no-such-action': 'the workflow has no such action',
  'ambiguous-action': 'more than one task has an action of that name; name the task too',
  'already-started':
    'the action has already started; wait for its end, or cancel the workflow and retry it from there',
  'already-succeeded': 'the action has succeeded; retry the workflow from it to run it again',
  'earlier-unfinished': 'an action before it has not succeeded; retry from that one, or skip it first',
  'nothing-to-change': 'that would change nothing',
  'invalid-image':
    'the image is not a valid reference; write for example quay.io/tinkerbell/actions/writefile:latest',
  'invalid-timeout': 'the timeout must be a whole number of seconds (0: no timeout)',
} as const;

/** The reason why an event changes nothing. It can be counted. */
export type Reason = keyof typeof texts;

/**
 * The message includes a fix. Pass the status where there is one, so that the message lists the valid names after a wrong one.
 */
export function reasonText(reason: Reason, status: WorkflowStatus = {}): string {
  if (reason === 'no-such-action') return `${texts[reason]}; it has: ${actionNames(status)}`;
  if (reason === 'ambiguous-action') return `${texts[reason]}: ${actionNames(status)}`;
  if (reason === 'workflow-finished' && isTerminal(status.state))
    return texts[reason].replace('finished', `finished (${status.state})`);
  return texts[reason];
}

function actionNames(status: WorkflowStatus): string {
  const names = (status.tasks ?? []).flatMap((task) =>
    task.actions.map((action) => `${task.name} / ${action.name ?? action.id}`),
  );
  return names.length === 0 ? 'none' : names.join(', ');
}
