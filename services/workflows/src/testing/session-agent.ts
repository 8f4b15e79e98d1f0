/** An agent of tinkerbell.agent.v1 that a test controls. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ClientDuplexStream, ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import { StateType } from '@tinkerbell/api/agent';
import {
  AgentService,
  type ActionsResponse,
  type Attempt,
  type HelloResponse,
  type OutputRequestSchema,
  type OutputResponse,
  type ReportResponse,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import type { Workflow } from '@tinkerbell/resources';
import { answerOf, eventually, type RunningServer } from './running-server.ts';

type Order = ActionsResponse['order'];

export async function sessionAgent(server: Pick<RunningServer, 'client'>, agentId: string) {
  const client = server.client(serviceDefinition(AgentService));
  const { sessionId, limits } = await answerOf<HelloResponse>(client, 'hello', { agentId, bootId: 'boot' });
  const errors: ServiceError[] = [];
  const method = (name: string): ((request?: object) => unknown) =>
    (client[name] as unknown as (request?: object) => unknown).bind(client);
  return {
    sessionId,
    limits,
    errors,
    /** Opens the stream of actions. `next` waits for the next order. */
    actions(running?: Attempt) {
      const orders: Order[] = [];
      const call = method('actions')({ sessionId, running }) as ClientReadableStream<ActionsResponse>;
      call.on('data', ({ order }: ActionsResponse) => orders.push(order));
      call.on('error', (error) => errors.push(error as ServiceError));
      return {
        orders,
        next: () => eventually(() => orders.shift()),
        async start() {
          const order = await eventually(() => orders.find((one) => one.case === 'start'));
          orders.length = 0;
          return order.value;
        },
        cancel: () => call.cancel(),
      };
    },
    report: (attempt: Attempt, state: keyof typeof StateType, fields: object = {}) =>
      answerOf<ReportResponse>(client, 'report', {
        sessionId,
        attempt: attempt.number,
        status: {
          workflowId: attempt.workflowId,
          taskId: 'w-1',
          actionId: attempt.actionId,
          agentId,
          actionState: StateType[state],
          ...fields,
        },
      }),
    output() {
      const answers: OutputResponse[] = [];
      const call = method('output')() as ClientDuplexStream<object, OutputResponse>;
      call.on('data', (answer: OutputResponse) => answers.push(answer));
      call.on('error', (error) => errors.push(error as ServiceError));
      return {
        answers,
        send: (payload: MessageInitShape<typeof OutputRequestSchema>['payload']) =>
          call.write({ sessionId, payload }),
        end: () => call.end(),
      };
    },
  };
}

/** An agent that has reported that its first action of the workflow runs. */
export async function runningAgent(
  server: Pick<RunningServer, 'client' | 'putWorkflow'>,
  workflow: Workflow,
  agentId: string,
) {
  await server.putWorkflow(workflow);
  const agent = await sessionAgent(server, agentId);
  const actions = agent.actions();
  const attempt = attemptIn(await actions.start());
  await agent.report(attempt, 'RUNNING');
  return { agent, actions, attempt };
}

export function attemptIn(start: {
  action?: { workflowId: string; actionId: string } | undefined;
  attempt: number;
}): Attempt {
  const { workflowId = '', actionId = '' } = start.action ?? {};
  return { $typeName: 'tinkerbell.agent.v1.Attempt', workflowId, actionId, number: start.attempt };
}

export function lines(first: number, ...texts: string[]) {
  return texts.map((text, index) => ({
    position: BigInt(first + index),
    stream: 1 as const,
    text: Buffer.from(text),
  }));
}
