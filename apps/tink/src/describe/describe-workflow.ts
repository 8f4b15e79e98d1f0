import { shownState } from '@tinkerbell/workflow';
import type {
  Workflow,
  WorkflowAction,
  WorkflowCondition,
  WorkflowOperation,
  WorkflowSpec,
  WorkflowStatus,
  WorkflowTask,
} from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import {
  type Field,
  type Row,
  fieldsText,
  identityFields,
  section,
  tableSection,
  timelineSection,
} from './describe-text.ts';
import { nextOf } from '../operate/operate.ts';

/** Formats tasks and actions with state, attempt, duration and message, conditions, and the last lines of the timeline. */
export function describeWorkflow(
  workflow: Workflow,
  timeline: readonly JournalRecord[],
  nowMs: number,
): string {
  const { metadata, spec, status = {} } = workflow;
  const { tasks = [], conditions = [], operations = [] } = status;
  return [
    fieldsText([
      ...identityFields(workflow),
      ...specFields(spec ?? {}),
      ...statusFields(metadata.name, status, nowMs),
    ]),
    section('Tasks', tasks.map((task) => taskText(task, nowMs)).join('')),
    tableSection('Operations', operationHeader, operations.map(operationRow)),
    tableSection('Conditions', conditionHeader, conditions.map(conditionRow)),
    timelineSection(timeline, `tink workflow events ${metadata.name} -n ${metadata.namespace}`),
  ].join('');
}

function specFields(spec: WorkflowSpec): readonly Field[] {
  const map = Object.entries(spec.hardwareMap ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    ['Template', spec.templateRef],
    ['Hardware', spec.hardwareRef],
    ['Hardware map', map.join(', ')],
    ['Boot mode', spec.bootOptions?.bootMode],
    ['Disabled', spec.disabled ? 'true: it does not start' : undefined],
  ];
}

/** Formats who paused it, when, and why. */
function pausedText({ paused, conditions = [] }: WorkflowStatus): string | undefined {
  if (paused !== true) return undefined;
  const condition = conditions.findLast(({ type }) => type === 'Paused' || type === 'Interrupted');
  return [condition?.message || 'yes', condition?.time === undefined ? '' : `since ${condition.time}`]
    .filter(Boolean)
    .join(', ');
}

function statusFields(name: string, status: WorkflowStatus, nowMs: number): readonly Field[] {
  return [
    ['State', shownState({ ...status, paused: false }) || 'not started'],
    ['Paused', pausedText(status)],
    ['Next', status.tasks === undefined ? undefined : nextOf(name, status, nowMs)],
    ['Rendering', status.templateRendering],
    ['Agent', status.agentID],
    ['Ends at the latest', status.globalExecutionStop],
  ];
}

const conditionHeader = ['TYPE', 'STATUS', 'REASON', 'TIME', 'MESSAGE'];

function conditionRow({ type, status, reason, time, message }: WorkflowCondition): Row {
  return [type, status, reason, time, message];
}

const operationHeader = ['TIME', 'VERB', 'ACTION', 'WHO', 'WHY'];

function operationRow({ time, verb, task, action, who, why }: WorkflowOperation): Row {
  const place = [task, action].filter((one) => one !== undefined && one !== '').join(' / ');
  return [time, verb, place, who, why];
}

const actionHeader = ['ACTION', 'STATE', 'ATTEMPT', 'DURATION', 'IMAGE', 'MESSAGE'];

function taskText(task: WorkflowTask, nowMs: number): string {
  const rows = task.actions.map((action): Row => {
    const { name, state, image } = action;
    return [name, state, attemptText(action), durationOf(action, nowMs), image, messageOf(action)];
  });
  return tableSection(`${task.name} (agent ${task.agentID})`, actionHeader, rows).trimStart();
}

/** Formats `3, retried 1 of 2`: the number of attempts, and the number of retries after failures. */
function attemptText({ attempt, retried = 0, retries = 0 }: WorkflowAction): string | undefined {
  return retried > 0 ? `${attempt ?? 0}, retried ${retried} of ${retries}` : attempt?.toString();
}

function messageOf({ message, breakpoint, notBefore }: WorkflowAction): string {
  return [
    breakpoint === true ? 'breakpoint' : '',
    notBefore === undefined ? '' : `not before ${notBefore}`,
    message,
  ]
    .filter(Boolean)
    .join('; ');
}

/** Returns the duration that the agent measured, else the time since the start of a running action. */
function durationOf({ executionDuration, executionStart, state }: WorkflowAction, nowMs: number): string {
  if (executionDuration) return executionDuration;
  if (state !== 'RUNNING' || executionStart === undefined) return '';
  return `${Math.max(0, Math.round((nowMs - Date.parse(executionStart)) / 1000))}s so far`;
}
