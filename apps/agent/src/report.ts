import { create } from '@bufbuild/protobuf';
import { timestampFromMs, TimestampSchema } from '@bufbuild/protobuf/wkt';

import {
  ActionMessageSchema,
  StateType,
  type ActionResponse,
  type ActionStatusRequest,
} from '@tinkerbell/api/agent';

import { formatExecutionDuration } from './execution-duration.ts';
import type { FinishedAction } from './kept-files.ts';
import type { Fields } from './workflow-client.ts';

/** Go's zero time. Upstream's agent sends it for "not yet", and its server expects it. */
const NOT_YET = { seconds: -62_135_596_800n, nanos: 0 };

/** Limit of the text of a report, because a failing program may print a lot. */
const MESSAGE_MAX_CHARACTERS = 4000;

/** Builds the report of a running action, with its progress. It may be sent any number of times. */
export function runningReport(
  action: ActionResponse,
  startedMs: number,
  message: string,
): Fields<ActionStatusRequest> {
  return {
    workflowId: action.workflowId,
    agentId: action.agentId,
    taskId: action.taskId,
    actionId: action.actionId,
    actionName: action.name,
    actionState: StateType.RUNNING,
    executionStart: timestampFromMs(startedMs),
    executionStop: create(TimestampSchema, NOT_YET),
    executionDuration: '',
    message: create(ActionMessageSchema, { message: shorten(message) }),
  };
}

/** Builds the report of a finished action. The same finished action always gives the same report. */
export function finalReport(finished: FinishedAction): Fields<ActionStatusRequest> {
  return {
    workflowId: finished.workflowId,
    agentId: finished.agentId,
    taskId: finished.taskId,
    actionId: finished.actionId,
    actionName: finished.actionName,
    actionState: StateType[finished.state],
    executionStart: timestampFromMs(finished.startedMs),
    executionStop: timestampFromMs(finished.endedMs),
    executionDuration: formatExecutionDuration(finished.endedMs - finished.startedMs),
    message: create(ActionMessageSchema, { message: shorten(finished.message) }),
  };
}

function shorten(text: string): string {
  return text.length <= MESSAGE_MAX_CHARACTERS ? text : `...${text.slice(-MESSAGE_MAX_CHARACTERS)}`;
}
