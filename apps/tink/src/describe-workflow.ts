import type {
  Workflow,
  WorkflowAction,
  WorkflowCondition,
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

/** Tasks and actions with state, attempt, duration and message; conditions; the last lines of the timeline. */
export function describeWorkflow(
  workflow: Workflow,
  timeline: readonly JournalRecord[],
  nowMs: number,
): string {
  const { metadata, spec, status = {} } = workflow;
  const { tasks = [], conditions = [] } = status;
  return [
    fieldsText([...identityFields(workflow), ...specFields(spec ?? {}), ...statusFields(status)]),
    section('Tasks', tasks.map((task) => taskText(task, nowMs)).join('')),
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
    ['Disabled', spec.disabled ? 'true: it does not begin' : undefined],
  ];
}

function statusFields(status: WorkflowStatus): readonly Field[] {
  return [
    ['State', status.state || 'not begun'],
    ['Rendering', status.templateRendering],
    ['Agent', status.agentID],
    ['Ends at the latest', status.globalExecutionStop],
  ];
}

const conditionHeader = ['TYPE', 'STATUS', 'REASON', 'TIME', 'MESSAGE'];

function conditionRow({ type, status, reason, time, message }: WorkflowCondition): Row {
  return [type, status, reason, time, message];
}

const actionHeader = ['ACTION', 'STATE', 'ATTEMPT', 'DURATION', 'IMAGE', 'MESSAGE'];

function taskText(task: WorkflowTask, nowMs: number): string {
  const rows = task.actions.map((action): Row => {
    const { name, state, attempt, image, message } = action;
    return [name, state, attempt?.toString(), durationOf(action, nowMs), image, message];
  });
  return tableSection(`${task.name} (agent ${task.agentID})`, actionHeader, rows).trimStart();
}

/** What the agent measured, else the time since the start of an action that runs. */
function durationOf({ executionDuration, executionStart, state }: WorkflowAction, nowMs: number): string {
  if (executionDuration) return executionDuration;
  if (state !== 'RUNNING' || executionStart === undefined) return '';
  return `${Math.max(0, Math.round((nowMs - Date.parse(executionStart)) / 1000))}s so far`;
}
