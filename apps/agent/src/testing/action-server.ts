/** A server of upstream's protocol that assigns the actions of a test, and records every report. */
import type { TestContext } from 'node:test';

import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';

import {
  ActionResponseSchema,
  StateType,
  WorkflowService,
  type ActionRequest,
  type ActionResponse,
  type ActionStatusRequest,
  type ActionStatusResponse,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';

export interface TestServer {
  readonly address: string;
  readonly accepted: ActionStatusRequest[];
  /** Resolves with all reports so far, once one of them satisfies the condition. */
  reportsUntil(condition: (report: ActionStatusRequest) => boolean): Promise<readonly ActionStatusRequest[]>;
  nextQuestion(): Promise<ActionRequest>;
  serveAgain(): void;
}

/** Assigns `actions` in order, each after the final report of the previous one. */
export async function startServer(
  context: TestContext,
  actions: readonly ActionResponse[],
  accepts: (report: ActionStatusRequest) => boolean = () => true,
): Promise<TestServer> {
  let next = 0;
  let waiting = false;
  const reports: ActionStatusRequest[] = [];
  const accepted: ActionStatusRequest[] = [];
  const questions: ActionRequest[] = [];
  const wakeUps = new Set<() => void>();
  const wake = (): void => {
    for (const wakeUp of wakeUps) wakeUp();
  };
  const server = new Server();
  server.addService(serviceDefinition(WorkflowService), {
    getAction(call: ServerUnaryCall<ActionRequest, ActionResponse>, answer: sendUnaryData<ActionResponse>) {
      questions.push(call.request);
      const found = actions[next];
      if (found === undefined || waiting) answer({ code: status.NOT_FOUND, details: 'no Workflows found' });
      else {
        waiting = true;
        answer(null, found);
      }
      wake();
    },
    reportActionStatus(
      call: ServerUnaryCall<ActionStatusRequest, ActionStatusResponse>,
      answer: sendUnaryData<ActionStatusResponse>,
    ) {
      reports.push(call.request);
      if (accepts(call.request)) {
        accepted.push(call.request);
        if (isFinal(call.request)) {
          next += 1;
          waiting = false;
        }
        answer(null, {} as ActionStatusResponse);
      } else {
        answer({ code: status.UNAVAILABLE, details: 'not now' });
      }
      wake();
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  context.after(() => server.forceShutdown());
  const until = <Value>(read: () => Value | undefined): Promise<Value> =>
    new Promise((resolve) => {
      const wakeUp = (): void => {
        const value = read();
        if (value === undefined) return;
        wakeUps.delete(wakeUp);
        resolve(value);
      };
      wakeUps.add(wakeUp);
      wakeUp();
    });
  return {
    address: `127.0.0.1:${port}`,
    accepted,
    reportsUntil: (condition) => until(() => (reports.some(condition) ? [...reports] : undefined)),
    nextQuestion: () => until(() => questions[0]),
    serveAgain() {
      waiting = false;
    },
  };
}

export function stateName(report: ActionStatusRequest): string | undefined {
  return Object.entries(StateType).find(([, value]) => value === report.actionState)?.[0];
}

export function isFinal(report: ActionStatusRequest): boolean {
  return report.actionState !== StateType.RUNNING;
}

export function action(fields: Partial<Omit<ActionResponse, '$typeName' | '$unknown'>>): ActionResponse {
  return create(ActionResponseSchema, {
    workflowId: 'default/flow',
    taskId: 'task',
    agentId: 'agent-1',
    actionId: `id-${fields.name}`,
    ...fields,
  });
}
