/** An agent that only reports, in the current protocol over plain gRPC, and records what it did. */
import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import {
  ActionRequestSchema,
  ActionStatusRequestSchema,
  StateType,
  WorkflowService,
  type ActionResponse,
  type ActionStatusRequest,
} from '@tinkerbell/api/agent';
import { serviceDefinition, type MethodDefinition } from '@tinkerbell/api/grpc';
import type { AgentEntry } from './journals.ts';

const METHODS = serviceDefinition(WorkflowService);
const HOLD_MS = 2_000;
const RETRY_MS = 30;
/** A report that a killed server did not answer was not received. */
const ANSWER_MS = 3_000;

const states = { RUNNING: StateType.RUNNING, SUCCESS: StateType.SUCCESS, FAILED: StateType.FAILED } as const;

export interface AgentOptions {
  readonly id: string;
  readonly server: string;
  readonly journal: AgentEntry[];
  /** A number from 0 up to, not including, `below`. */
  readonly random: (below: number) => number;
  /** The acknowledged reports, for code that repeats them. */
  readonly sent: ActionStatusRequest[];
}

export class SimulatedAgent {
  readonly #options: AgentOptions;
  readonly #client: Client;
  #isStopped = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#client = new Client(options.server, credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': 50,
      'grpc.min_reconnect_backoff_ms': 50,
      'grpc.max_reconnect_backoff_ms': 100,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const answer = await this.#call(
        METHODS.getAction,
        create(ActionRequestSchema, { agentId: this.#options.id }),
        HOLD_MS,
      );
      if (answer.ok) await this.#perform(answer.value);
      else await pause(answer.code === status.NOT_FOUND ? 5 : RETRY_MS);
    }
    this.#client.close();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #perform(action: ActionResponse): Promise<void> {
    const { random } = this.#options;
    if (!(await this.#report(action, 'RUNNING'))) return;
    this.#write(action, 'started', 'RUNNING');
    if (random(3) === 0) await pause(random(20));
    // Simulates a power failure: what the machine did is done, but was not reported.
    if (random(20) === 0) return;
    await this.#report(action, random(40) === 0 ? 'FAILED' : 'SUCCESS');
  }

  /** Repeats the call until it is answered, as agents do. Returns false when it is refused. */
  async #report(action: ActionResponse, state: keyof typeof states): Promise<boolean> {
    const { workflowId, taskId, actionId, name } = action;
    const request = create(ActionStatusRequestSchema, {
      workflowId,
      agentId: this.#options.id,
      taskId,
      actionId,
      actionName: name,
      actionState: states[state],
      executionDuration: state === 'RUNNING' ? '' : '1s',
      message: { message: `is ${state}` },
    });
    while (!this.#isStopped) {
      this.#write(action, 'report-sent', state);
      const answer = await this.#call(METHODS.reportActionStatus, request, ANSWER_MS);
      if (answer.ok) {
        this.#write(action, 'report-acknowledged', state);
        this.#options.sent.push(request);
        return true;
      }
      if (![status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.INTERNAL].includes(answer.code))
        return false;
      await pause(RETRY_MS);
    }
    return false;
  }

  #write({ workflowId, name }: ActionResponse, event: AgentEntry['event'], state: AgentEntry['state']): void {
    this.#options.journal.push({ agent: this.#options.id, event, state, workflow: workflowId, action: name });
  }

  #call<Input, Output>(
    method: MethodDefinition<Input, Output>,
    request: Input,
    deadlineMs: number,
  ): Promise<{ readonly ok: true; readonly value: Output } | { readonly ok: false; readonly code: status }> {
    return unaryCall(this.#client, { method, request, deadlineMs });
  }
}

export function unaryCall<Input, Output>(
  client: Client,
  {
    method,
    request,
    deadlineMs,
  }: { method: MethodDefinition<Input, Output>; request: Input; deadlineMs: number },
): Promise<{ readonly ok: true; readonly value: Output } | { readonly ok: false; readonly code: status }> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      method.path,
      (value: Input) => method.requestSerialize(value),
      (bytes: Buffer) => method.responseDeserialize(bytes),
      request,
      { deadline: Date.now() + deadlineMs },
      (error: ServiceError | null, value?: Output) => {
        if (error === null && value !== undefined) resolve({ ok: true, value });
        else resolve({ ok: false, code: error?.code ?? status.UNKNOWN });
      },
    );
  });
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
