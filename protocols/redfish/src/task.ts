/** The schema Task: an operation that continues after its answer with status 202 (DSP0266, section "Asynchronous operations"). */
import { objectsIn, textIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';
import { messagesOf, type RedfishMessage } from './redfish-error.ts';

export type TaskOutcome = 'running' | 'completed' | 'failed';

export interface RedfishTask {
  readonly outcome: TaskOutcome;
  readonly state: string | undefined;
  readonly messages: readonly RedfishMessage[];
}

const FAILED: ReadonlySet<string> = new Set(['Exception', 'Killed', 'Cancelled', 'Interrupted']);

/** Undefined: the resource is not a task. `Completed` with the status `Critical` is a failure. */
export function taskOf(resource: RedfishObject): RedfishTask | undefined {
  const state = textIn(resource, 'TaskState');
  if (state === undefined) return undefined;
  const messages = messagesOf({ '@Message.ExtendedInfo': objectsIn(resource, 'Messages') });
  return { outcome: outcomeOf(state, textIn(resource, 'TaskStatus')), state, messages };
}

function outcomeOf(state: string, status: string | undefined): TaskOutcome {
  if (FAILED.has(state)) return 'failed';
  if (state !== 'Completed') return 'running';
  return status === 'Critical' ? 'failed' : 'completed';
}
