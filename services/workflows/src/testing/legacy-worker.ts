/**
 * A tink-worker v0.10 over plain gRPC (cmd/tink-worker/worker/worker.go). It polls contexts, finds its place in the list of
 * actions by index, reports RUNNING, executes, reports the end, and continues with the next action by itself.
 */
import { fromBinary, toBinary, create } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import {
  EmptySchema,
  State,
  WorkflowActionListSchema,
  WorkflowActionsRequestSchema,
  WorkflowActionStatusSchema,
  WorkflowContextRequestSchema,
  WorkflowContextSchema,
  type WorkflowAction,
  type WorkflowActionList,
  type WorkflowContext,
} from '@tinkerbell/api/legacy-agent';

const SERVICE = '/proto.WorkflowService';

export class LegacyWorker {
  readonly #client: Client;
  readonly #workerId: string;

  constructor(address: string, workerId: string) {
    this.#client = new Client(address, credentials.createInsecure());
    this.#workerId = workerId;
  }

  close(): void {
    this.#client.close();
  }

  contexts(): Promise<readonly WorkflowContext[]> {
    const call = this.#client.makeServerStreamRequest(
      `${SERVICE}/GetWorkflowContexts`,
      (request) =>
        Buffer.from(toBinary(WorkflowContextRequestSchema, create(WorkflowContextRequestSchema, request))),
      (bytes) => fromBinary(WorkflowContextSchema, bytes),
      { workerId: this.#workerId },
    );
    return new Promise((resolve, reject) => {
      const found: WorkflowContext[] = [];
      call.on('data', (context: WorkflowContext) => found.push(context));
      call.on('error', reject);
      call.on('end', () => resolve(found));
    });
  }

  actions(workflowId: string): Promise<WorkflowActionList> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        `${SERVICE}/GetWorkflowActions`,
        (request) =>
          Buffer.from(toBinary(WorkflowActionsRequestSchema, create(WorkflowActionsRequestSchema, request))),
        (bytes) => fromBinary(WorkflowActionListSchema, bytes),
        { workflowId },
        (error: ServiceError | null, list) => (list === undefined ? reject(error) : resolve(list)),
      );
    });
  }

  report(
    workflowId: string,
    action: Partial<WorkflowAction>,
    actionStatus: State,
    message: string,
  ): Promise<void> {
    const status = {
      workflowId,
      taskName: action.taskName ?? '',
      actionName: action.name ?? '',
      actionStatus,
      seconds: actionStatus === State.RUNNING ? 0n : 3n,
      message,
      workerId: this.#workerId,
    };
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        `${SERVICE}/ReportActionStatus`,
        (request) =>
          Buffer.from(toBinary(WorkflowActionStatusSchema, create(WorkflowActionStatusSchema, request))),
        (bytes) => fromBinary(EmptySchema, bytes),
        status,
        (error: ServiceError | null) => (error === null ? resolve() : reject(error)),
      );
    });
  }

  /** Runs one iteration of the worker's loop. If `execute` throws, the worker has died there. */
  async poll(execute: (action: WorkflowAction) => boolean): Promise<void> {
    for (const context of await this.contexts()) {
      const { actionList } = await this.actions(context.workflowId);
      let index = Number(context.currentActionIndex);
      for (;;) {
        const action = actionList[index];
        if (action?.workerId !== this.#workerId) break;
        // v0.10 uses the state that the context had for every action of the iteration.
        if (context.currentActionState !== State.RUNNING)
          await this.report(context.workflowId, action, State.RUNNING, 'Started execution');
        if (!execute(action)) {
          await this.report(context.workflowId, action, State.FAILED, 'exit status 1');
          break;
        }
        const message = 'finished execution successfully';
        await this.report(context.workflowId, action, State.SUCCESS, message);
        index += 1;
      }
    }
  }
}
