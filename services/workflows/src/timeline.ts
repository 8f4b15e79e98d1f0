/** The workflow service's entries in a machine's timeline. */
import type { Workflow } from '@tinkerbell/resources';
import type { Journal, JournalDetail, JournalSource, View } from '@tinkerbell/store-contract';
import { subjectOf } from '@tinkerbell/engine-workflow-events';
import { isTerminal, type ActionPlace } from '@tinkerbell/workflow';
import type { AttemptSpans } from './attempt-spans.ts';
import type { HandoverTimes } from './handover-times.ts';
import { LastAttempts } from './last-attempts.ts';
import { attemptKey } from './sessions/attempt.ts';

/** Upstream's agent sends it with every start. It carries no information. */
const START_MESSAGE = 'running action';

const endings: Readonly<Record<string, string>> = {
  SUCCESS: 'succeeded',
  FAILED: 'failed',
  TIMEOUT: 'timed out',
};

interface ReportedChange {
  readonly before: Workflow;
  readonly after: Workflow;
  /** When the report arrived, on the monotonic clock. */
  readonly arrivedMs: number;
}

export class Timeline {
  readonly #journal: Journal;
  readonly #view: View;
  readonly #handovers: HandoverTimes;
  readonly #attempts: AttemptSpans;
  readonly #given = new LastAttempts();

  constructor(
    journal: Journal,
    view: View,
    { handovers, attempts }: { readonly handovers: HandoverTimes; readonly attempts: AttemptSpans },
  ) {
    this.#journal = journal;
    this.#view = view;
    this.#handovers = handovers;
    this.#attempts = attempts;
  }

  actionServed(
    workflow: Workflow,
    { task, action }: ActionPlace,
    { agentId, sessionId }: { readonly agentId: string; readonly sessionId?: string | undefined },
  ): void {
    this.#handovers.served(agentId);
    this.#given.given(agentId, keyOf(workflow, action));
    this.#attempts.begin({ ...subjectOf(this.#view, workflow), agentId, task, action });
    const attempt = action.attempt ?? 1;
    const again = attempt > 1 ? `, again: attempt ${attempt}` : '';
    this.#append(workflow, {
      event: attempt > 1 ? 'action-served-again' : 'action-served',
      message: `${task.name} / ${action.name ?? ''} given to agent ${agentId}${again}`,
      details: {
        task: task.name,
        action: action.name ?? '',
        attempt,
        agent: agentId,
        ...(sessionId === undefined ? {} : { session: sessionId }),
      },
    });
  }

  /** The agent gets an action that was assigned with its last report. A server records it once, however often the agent requests it. */
  actionHandedOver(...served: Parameters<Timeline['actionServed']>): void {
    const [workflow, { action }, { agentId }] = served;
    if (!this.#given.isLast(agentId, keyOf(workflow, action))) this.actionServed(...served);
  }

  actionReported({ before, after, arrivedMs }: ReportedChange, place: ActionPlace): void {
    const { task, action } = place;
    const name = `${task.name} / ${action.name ?? ''}`;
    const details = {
      task: task.name,
      action: action.name ?? '',
      attempt: action.attempt ?? 1,
      state: action.state ?? '',
    };
    this.#attempts.end(`${after.metadata.namespace}/${after.metadata.name}`, action);
    if (action.state === 'SUCCESS') this.#handovers.reported(task.agentID, arrivedMs);
    if (isTerminal(after.status?.state)) this.#handovers.forget(task.agentID);
    this.#append(after, { ...reportLine(name, action), details });
    this.stateChanged(before, after);
  }

  actionProgressed(workflow: Workflow, { task, action }: ActionPlace, message: string): void {
    if (message === '' || message === START_MESSAGE) return;
    this.#append(workflow, {
      event: 'action-progressed',
      message,
      details: { task: task.name, action: action.name ?? '' },
    });
  }

  reportRefused(
    workflow: Workflow,
    { task, action }: ActionPlace,
    refused: { state: string; reason: string },
  ): void {
    this.#append(workflow, {
      event: 'report-refused',
      message: `report ${refused.state} of ${task.name} / ${action.name ?? ''} changes nothing: ${refused.reason}`,
      details: { task: task.name, action: action.name ?? '', ...refused },
    });
  }

  stateChanged(before: Workflow, after: Workflow): void {
    const [from, to] = [before.status?.state ?? '', after.status?.state ?? ''];
    if (from === to) return;
    this.#append(
      after,
      { event: 'state-changed', message: `workflow is ${to}`, details: { from, to } },
      'workflow',
    );
  }

  #append(
    workflow: Workflow,
    entry: { event: string; message: string; details: Record<string, JournalDetail> },
    source: JournalSource = 'agent',
  ): void {
    this.#journal.append({ source, ...subjectOf(this.#view, workflow), ...entry });
  }
}

function keyOf({ metadata }: Workflow, { id, attempt = 1 }: ActionPlace['action']): string {
  return attemptKey({ workflowId: `${metadata.namespace}/${metadata.name}`, actionId: id, number: attempt });
}

function reportLine(name: string, action: ActionPlace['action']): { event: string; message: string } {
  const { state = '', message = '', executionDuration } = action;
  const ending = endings[state];
  if (ending === undefined)
    return state === 'PENDING'
      ? { event: 'action-retried', message: `${name}: ${message}` }
      : { event: 'action-started', message: `${name} started` };
  const why = state === 'SUCCESS' || message === '' ? '' : `: ${message}`;
  const took = executionDuration ? ` after ${executionDuration}` : '';
  return { event: `action-${ending.replace(' ', '-')}`, message: `${name} ${ending}${took}${why}` };
}
