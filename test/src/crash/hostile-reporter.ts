/**
 * Repeats reports of agents: duplicated, late, out of order, in another agent's name, at absurd times. None
 * may change anything.
 */
import { Client, credentials } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  ActionStatusRequestSchema,
  StateType,
  WorkflowService,
  type ActionStatusRequest,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { pause, unaryCall } from './simulated-agent.ts';

const METHODS = serviceDefinition(WorkflowService);
const ANSWER_MS = 1_000;
/** A report older than this many belongs to an action that ended long ago. */
const RECENT = 64;

type Mutation = (report: ActionStatusRequest) => ActionStatusRequest;

const ABSURD = [new Date(0), new Date(-62_135_596_800_000), new Date(253_402_300_799_000)];

const isFinal = ({ actionState }: ActionStatusRequest) => actionState !== StateType.RUNNING;

/**
 * The permitted answers to an acknowledged final report. A repeated start may belong to an interrupted
 * action, and is not repeated.
 */
const mutations: readonly Mutation[] = [
  (report) => report,
  (report) => create(ActionStatusRequestSchema, { ...report, agentId: 'somebody-else' }),
  (report) => create(ActionStatusRequestSchema, { ...report, actionState: StateType.FAILED }),
  (report) => create(ActionStatusRequestSchema, { ...report, actionState: StateType.TIMEOUT }),
  (report) => create(ActionStatusRequestSchema, { ...report, actionState: StateType.PENDING }),
  (report) => create(ActionStatusRequestSchema, { ...report, actionState: StateType.RUNNING }),
  (report) => create(ActionStatusRequestSchema, { ...report, actionId: 'nothing' }),
  (report) => create(ActionStatusRequestSchema, { ...report, workflowId: 'default/nothing' }),
  ...ABSURD.map(
    (date): Mutation =>
      (report) =>
        create(ActionStatusRequestSchema, {
          ...report,
          executionStart: timestampFromDate(date),
          executionStop: timestampFromDate(date),
        }),
  ),
];

export async function reportHostilely(options: {
  readonly server: string;
  readonly sent: readonly ActionStatusRequest[];
  readonly random: (below: number) => number;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { server, sent, random, signal } = options;
  const client = new Client(server, credentials.createInsecure(), { 'grpc.max_reconnect_backoff_ms': 200 });
  while (!signal.aborted) {
    await pause(random(10));
    const finals = sent.filter(isFinal);
    const from = random(2) === 0 ? Math.max(0, finals.length - RECENT) : 0;
    const report = finals[from + random(Math.max(1, finals.length - from))];
    const mutate = mutations[random(mutations.length)];
    if (report === undefined || mutate === undefined) continue;
    await unaryCall(client, {
      method: METHODS.reportActionStatus,
      request: mutate(report),
      deadlineMs: ANSWER_MS,
    });
  }
  client.close();
}
