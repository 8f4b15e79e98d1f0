/** Machines that wait for work: the agent's own gRPC client, each with its own connection. */
import { StateType, type ActionResponse } from '@tinkerbell/api/agent';
import {
  createWorkflowClient,
  type WorkflowClient,
  containerSettings,
  CONTAINER_DEFAULTS,
} from '@tinkerbell/app-agent';

import type { BenchContext } from './benchmark.ts';
import { addressesOf } from './machines.ts';
import type { LoopbackServer } from './tinkerbell-server.ts';

const WAIT_DEADLINE_MS = 60_000;

export class Agent {
  readonly id: string;
  readonly #client: WorkflowClient;
  readonly #stopping: AbortSignal;

  constructor(client: WorkflowClient, id: string, stopping: AbortSignal) {
    this.#client = client;
    this.id = id;
    this.#stopping = stopping;
  }

  /**
   * Returns the next action as soon as there is one. @throws Error when the server answers anything
   * unexpected.
   */
  async nextAction(): Promise<ActionResponse> {
    for (;;) {
      const result = await this.#client.getAction({ agentId: this.id }, this.#stopping);
      if (result.ok) return result.value;
      if (result.kind !== 'idle') throw new Error(`GetAction of ${this.id}: ${result.error}`);
    }
  }

  /** Durable when it resolves. */
  async report(action: ActionResponse, actionState: StateType): Promise<void> {
    const { workflowId, taskId, actionId, name } = action;
    const result = await this.#client.report({
      workflowId,
      agentId: this.id,
      taskId,
      actionId,
      actionName: name,
      actionState,
      executionDuration: actionState === StateType.RUNNING ? '' : '1s',
    });
    if (!result.ok) throw new Error(`ReportActionStatus of ${this.id}: ${result.error}`);
  }
}

/** Returns agents of the machines 0 to `count - 1`. Their connections are closed at the end of the scope. */
export function createAgents(context: BenchContext, server: LoopbackServer, count: number): Agent[] {
  const stopping = new AbortController();
  const clients: WorkflowClient[] = [];
  context.scope.defer(() => {
    stopping.abort();
    for (const client of clients) client.close();
  });
  return Array.from({ length: count }, (_, index) => {
    const { mac } = addressesOf(index);
    const client = createWorkflowClient({
      id: mac,
      grpcServer: server.grpcAddress,
      grpcTls: false,
      grpcInsecureTls: false,
      attributeDetection: false,
      // The gRPC library shares a connection between clients whose settings are all equal.
      backoffMaxMs: 5000 + index,
      logLevel: 0,
      spoolDirectory: '',
      allowReboot: false,
      containers: containerSettings(CONTAINER_DEFAULTS),
    });
    clients.push(client);
    return new Agent(client, mac, stopping.signal);
  });
}

/** Resolves when the server holds that many calls. */
export async function untilWaiting(server: LoopbackServer, count: number): Promise<void> {
  const deadline = performance.now() + WAIT_DEADLINE_MS;
  for (;;) {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const waiting = Number(/^tink_server_waiting_agents (\d+)/m.exec(metrics)?.[1] ?? 0);
    if (waiting === count) return;
    if (performance.now() > deadline) throw new Error(`${waiting} of ${count} agents wait`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
