/** A Workflow as callers of the Provisioning API see it. */
import type { Workflow, WorkflowAction, WorkflowStatus } from '@tinkerbell/resources';
import { isTerminal, workflowStateOf, type WorkflowState } from '@tinkerbell/workflow';
import { jobIdOf, userOf } from './job-workflow.ts';
import { OS_IMAGE_ANNOTATION } from './job-name.ts';
import { jobActionStates, type JobState } from './message-schemas.ts';

export interface JobAction {
  readonly task: string;
  readonly name: string;
  readonly state: (typeof jobActionStates)[number];
  readonly seconds?: number;
  readonly message?: string;
  readonly attempt?: number;
}

/** The fields of the schema `Job`. Times are RFC 3339. */
export interface Job {
  readonly job_id: string;
  readonly state: JobState;
  readonly device_id: string;
  readonly user: string;
  readonly os_image?: string;
  readonly template: string;
  readonly workflow: string;
  readonly percent: number;
  readonly current_task?: string;
  readonly current_action?: string;
  readonly actions: readonly JobAction[];
  readonly message?: string;
  readonly created?: string;
  readonly started?: string;
  readonly finished?: string;
}

const finalStates: readonly JobState[] = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED'];

/** Returns true when a job does not change any more by itself. */
export function isFinal(state: JobState): boolean {
  return finalStates.includes(state);
}

/** Returns undefined for a Workflow that is not a job. */
export function jobOf(workflow: Workflow): Job | undefined {
  const id = jobIdOf(workflow);
  if (id === undefined) return undefined;
  const { metadata, spec, status = {} } = workflow;
  const actions = actionsOf(status);
  const state = stateOf(status);
  return {
    job_id: id,
    state,
    device_id: spec?.hardwareRef ?? '',
    user: userOf(workflow),
    template: spec?.templateRef ?? '',
    workflow: `${metadata.namespace}/${metadata.name}`,
    percent: percentOf(actions, state),
    actions: actions.map(({ task, action }) => shownAction(task, action)),
    ...filled({
      os_image: metadata.annotations?.[OS_IMAGE_ANNOTATION],
      current_task: status.currentState?.taskName,
      current_action: status.currentState?.actionName,
      message: messageOf(status, state),
      created: metadata.creationTimestamp,
      ...timesOf(status, state),
    }),
  };
}

type Texts<Name extends string> = { readonly [Of in Name]?: string | undefined };

/** Omits empty fields. */
function filled<Name extends string>(texts: Texts<Name>): { readonly [Of in Name]?: string };
// TypeScript does not follow the types of fields through their entries.
function filled(texts: object): object {
  const entries = Object.entries(texts).filter(([, text]) => text !== undefined && text !== '');
  return Object.fromEntries(entries);
}

const states: Readonly<Record<WorkflowState, JobState>> = {
  '': 'ACCEPTED',
  PREPARING: 'PREPARING',
  // The Workflow is rendered and waits for the machine's agent.
  PENDING: 'PREPARING',
  RUNNING: 'RUNNING',
  POST: 'RUNNING',
  SUCCESS: 'SUCCEEDED',
  FAILED: 'FAILED',
  TIMEOUT: 'TIMED_OUT',
};

/** A Template that cannot be rendered has failed, although the Workflow waits until it is fixed (upstream). */
function stateOf(status: WorkflowStatus): JobState {
  if (isCancelled(status)) return 'CANCELLED';
  return isUnrenderable(status) ? 'FAILED' : states[workflowStateOf(status.state)];
}

function isCancelled(status: WorkflowStatus): boolean {
  return status.state === 'FAILED' && conditionMessage(status, ['Cancelled']) !== undefined;
}

/** Returns true when the job runs only after its Template is fixed. */
export function isUnrenderable(status: WorkflowStatus): boolean {
  return workflowStateOf(status.state) === '' && status.templateRendering === 'failed';
}

interface Placed {
  readonly task: string;
  readonly action: WorkflowAction;
}

function actionsOf(status: WorkflowStatus): readonly Placed[] {
  return (status.tasks ?? []).flatMap((task) => task.actions.map((action) => ({ task: task.name, action })));
}

function shownAction(task: string, action: WorkflowAction): JobAction {
  const { executionStart, executionStop, message = '', attempt = 0 } = action;
  const seconds = isTerminal(action.state) ? secondsBetween(executionStart, executionStop) : undefined;
  return {
    task,
    name: action.name ?? '',
    state: jobActionStates.find((one) => one === action.state) ?? 'PENDING',
    ...(seconds === undefined ? {} : { seconds }),
    ...(message === '' ? {} : { message }),
    ...(attempt === 0 ? {} : { attempt }),
  };
}

function secondsBetween(start: string | undefined, stop: string | undefined): number | undefined {
  const seconds = (Date.parse(stop ?? '') - Date.parse(start ?? '')) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

function percentOf(actions: readonly Placed[], state: JobState): number {
  if (state === 'SUCCEEDED') return 100;
  const done = actions.filter(({ action }) => action.state === 'SUCCESS').length;
  return actions.length === 0 ? 0 : Math.floor((100 * done) / actions.length);
}

function messageOf(status: WorkflowStatus, state: JobState): string {
  if (isUnrenderable(status)) return conditionMessage(status, ['TemplateRenderedSuccess']) ?? '';
  if (isFinal(state)) return endOf(status, state);
  if (status.paused === true) return conditionMessage(status, ['Paused', 'Interrupted']) ?? 'paused';
  return workflowStateOf(status.state) === 'PENDING' ? `waiting for agent ${status.agentID ?? ''}` : '';
}

function endOf(status: WorkflowStatus, state: JobState): string {
  if (state === 'SUCCEEDED') return '';
  return (state === 'CANCELLED' ? conditionMessage(status, ['Cancelled']) : failureOf(status)) ?? '';
}

const bootFailures = ['BootJobFailed', 'BootJobSetupFailed', 'AllowNetbootTrue', 'AllowNetbootFalse'];

function failureOf(status: WorkflowStatus): string | undefined {
  const failed = actionsOf(status).find(({ action }) => ['FAILED', 'TIMEOUT'].includes(action.state ?? ''));
  if (failed === undefined) return conditionMessage(status, bootFailures);
  const { message = '', state = '' } = failed.action;
  return `${failed.task} / ${failed.action.name ?? ''}: ${message === '' ? state.toLowerCase() : message}`;
}

function conditionMessage(status: WorkflowStatus, types: readonly string[]): string | undefined {
  return status.conditions?.findLast((one) => types.includes(one.type))?.message;
}

function timesOf(status: WorkflowStatus, state: JobState): Texts<'started' | 'finished'> {
  const actions = actionsOf(status).map(({ action }) => action);
  const ends = [
    ...actions.map(({ executionStop }) => executionStop),
    ...(status.conditions ?? []).map(({ time }) => time),
  ];
  return {
    started: earliest(actions.map(({ executionStart }) => executionStart)),
    finished: isFinal(state) ? latest(ends) : undefined,
  };
}

function earliest(times: readonly (string | undefined)[]): string | undefined {
  return sorted(times)[0];
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  return sorted(times).at(-1);
}

/** Agents write their own zones, and may write any text. */
function sorted(times: readonly (string | undefined)[]): readonly string[] {
  return times
    .map((time) => Date.parse(time ?? ''))
    .filter((ms) => ms >= 0 && ms < YEAR_10000_MS)
    .toSorted((a, b) => a - b)
    .map((ms) => new Date(ms).toISOString());
}

/** The first moment that RFC 3339 cannot represent. */
const YEAR_10000_MS = 253_402_300_800_000;
