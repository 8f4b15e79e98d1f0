/**
 * Records each attempt of an action as a span in the trace of its machine's boot, from its assignment until its end is reported.
 */
import { noTracer, setLatest, type Span, type Tracer } from '@tinkerbell/platform-contract';
import type { ActionPlace } from '@tinkerbell/workflow';
import { attemptKey } from './sessions/attempt.ts';

type Action = ActionPlace['action'];

interface Begun extends ActionPlace {
  /** `<namespace>/<name>` */
  readonly workflow: string;
  /** The MAC of the machine, if its Hardware names one. */
  readonly machine?: string;
  readonly agentId: string;
}

/** An attempt whose end is never reported is dropped when this many others have begun since. */
const OPEN_MAX = 20_000;

export class AttemptSpans {
  readonly #tracer: Tracer;
  readonly #open = new Map<string, Span>();

  constructor(tracer: Tracer = noTracer) {
    this.#tracer = tracer;
  }

  begin({ workflow, machine, agentId, task, action }: Begun): void {
    if (!this.#tracer.isOn) return;
    const name = action.name ?? '';
    const span = this.#tracer.startSpan(`action ${name}`, {
      machine: (machine ?? agentId).toLowerCase(),
      attributes: {
        'workflow.name': workflow,
        'workflow.task': task.name,
        'workflow.action': name,
        'workflow.attempt': action.attempt ?? 1,
        'agent.id': agentId,
      },
    });
    setLatest(this.#open, [keyOf(workflow, action), span], OPEN_MAX);
  }

  /** Does nothing for a running attempt, or for one that began before the server started. */
  end(workflow: string, action: Action): void {
    if (!this.#tracer.isOn || action.state === 'RUNNING') return;
    const key = keyOf(workflow, action);
    const span = this.#open.get(key);
    if (span === undefined) return;
    this.#open.delete(key);
    // The action's failure message may contain anything. It is in the status and the timeline.
    if (action.state !== 'SUCCESS')
      span.fail(action.state === 'PENDING' ? 'failed, will be retried' : (action.state ?? ''));
    span.end();
  }
}

function keyOf(workflow: string, { id, attempt }: Action): string {
  return attemptKey({ workflowId: workflow, actionId: id, number: attempt ?? 1 });
}
