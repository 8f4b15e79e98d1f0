/** Records when workflows ended. For a moment afterwards, their agents may still report. */
import { REPORTS_AFTER_END_MS, type SessionLife, type WorkflowPlace } from '@tinkerbell/agent-identity';
import type { Clock } from '@tinkerbell/platform-contract';
import type { Workflow } from '@tinkerbell/resources';
import { workflowCollection, type View } from '@tinkerbell/store-contract';
import { isTerminal } from '@tinkerbell/workflow';

/** The agent has nothing left to do for this workflow. */
export function isOver({ status }: Workflow): boolean {
  return status?.state === 'POST' || isTerminal(status?.state);
}

export class WorkflowEnds {
  readonly #view: View;
  readonly #clock: Clock;
  /** Sorted oldest first. The key is the uid, and the time is on the monotonic clock. */
  readonly #ends = new Map<string, number>();
  /** An end before this server started may have been a moment earlier. */
  readonly #startedMs: number;

  constructor(view: View, clock: Clock) {
    this.#view = view;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    view.onChange((change) => {
      if (!workflowCollection.holds(change) || change.type === 'deleted') return;
      const { uid = '' } = change.object.metadata;
      if (!isOver(change.object)) this.#ends.delete(uid);
      else if (!this.#ends.has(uid)) this.#note(uid);
    });
  }

  lifeOf(place: WorkflowPlace | undefined): SessionLife {
    if (place === undefined) return 'live';
    const workflow = this.#view.workflowNamed(place.namespace, place.name);
    if (workflow === undefined || (workflow.metadata.uid ?? '') !== place.uid) return 'ended';
    if (!isOver(workflow)) return 'live';
    const endedMs = this.#ends.get(place.uid) ?? this.#startedMs;
    return this.#clock.monotonicMs() - endedMs < REPORTS_AFTER_END_MS ? 'finished' : 'ended';
  }

  #note(uid: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [oldest, endedMs] of this.#ends) {
      if (nowMs - endedMs < REPORTS_AFTER_END_MS) break;
      this.#ends.delete(oldest);
    }
    this.#ends.set(uid, nowMs);
  }
}
