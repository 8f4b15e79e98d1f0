/** Runs the service with its controller, machines, templates, a caller of each kind, and an agent. */
import assert from 'node:assert/strict';
import {
  credentials,
  makeClientConstructor,
  Metadata,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { WorkflowService, StateType, type ActionResponse } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { API, Job_State, type Job, type ProvisionDeviceResponse } from '@tinkerbell/api/provisioning';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { createWorkerRenderer } from '@tinkerbell/platform-template/renderer';
import type { Hardware, HardwareSpec, Workflow } from '@tinkerbell/resources';
import { createControllerService } from '@tinkerbell/service-controller';
import type { Store } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import type { ProvisioningConfig } from '../provisioning/provisioning.ts';
import { createWorkflowsService } from '../workflows-service.ts';
import { eventually } from './running-server.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const apiVersion = 'tinkerbell.org/v1alpha1';

export const mac = (machine: number): string => `52:54:00:00:00:0${machine}`;

const templateText = (extra = ''): string => `version: "0.1"
name: os
global_timeout: 600
tasks:
  - name: os
    worker: "{{.device_1}}"
    actions:
      - name: image
        image: example.org/image2disk:v1
        timeout: 60
        environment:
          DISK: "{{ if hasKey . "disk" }}{{ .disk }}{{ end }}${extra}"
      - name: reboot
        image: example.org/reboot:v1
        timeout: 60
`;

export interface ProvisioningOptions {
  readonly store?: Store;
  readonly config?: ProvisioningConfig;
  /** False: nothing renders. */
  readonly controller?: boolean;
  readonly machines?: number;
}

export type RunningProvisioning = Awaited<ReturnType<typeof runningProvisioning>>;

export async function runningProvisioning(options: ProvisioningOptions = {}) {
  const { store = createMemoryStore(), controller = true, machines = 3 } = options;
  const config = { audience: 'everyone' as const, ...options.config };
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  let listeners = 0;
  const onChange = view.onChange.bind(view);
  view.onChange = (listener) => {
    listeners += 1;
    const stop = onChange(listener);
    return () => {
      listeners -= 1;
      stop();
    };
  };
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const deps = { store, view, journal, clock: nodeClock, random: nodeRandom, log };
  const renderer = createWorkerRenderer(nodeClock, log);
  const service = createWorkflowsService(deps, { address: '127.0.0.1', port: 0, provisioning: config });
  const referenceRules = { deny: [], allow: [] };
  const services = [
    service,
    ...(controller ? [createControllerService({ ...deps, renderer, referenceRules })] : []),
  ];
  for (const one of services) await one.start(stopping.signal);

  const put = async (kind: string, name: string, fields: object) => {
    const collection =
      kind === 'Hardware' ? 'hardware.tinkerbell.org' : `${kind.toLowerCase()}s.tinkerbell.org`;
    const key = { collection, namespace: 'default', name };
    const { labels, ...rest } = fields as { labels?: Record<string, string> };
    const object = {
      apiVersion,
      kind,
      metadata: { name, namespace: 'default', ...(labels && { labels }) },
      ...rest,
    };
    if ((await store.get(key)) !== undefined) return;
    assert.ok((await store.commit([{ operation: 'create', key, object }])).ok);
  };
  for (let machine = 1; machine <= machines; machine++) {
    const spec: HardwareSpec = {
      metadata: { instance: { id: `i-${machine}` } },
      interfaces: [{ dhcp: { mac: mac(machine) }, netboot: { allowPXE: true } }],
      agentID: `agent-${machine}`,
    };
    await put('Hardware', `m${machine}`, { spec });
  }
  await put('Template', 'debian', {
    labels: { 'tinkerbell.org/os-image': 'debian-12' },
    spec: { data: templateText() },
  });
  await put('Template', 'strict', { spec: { data: templateText('{{ .needed }}') } });

  const address = `127.0.0.1:${service.port()}`;
  const newClient = (definition: object) =>
    new (makeClientConstructor(definition as never, 'client'))(address, credentials.createInsecure());
  const api = newClient(serviceDefinition(API));
  const agents = newClient(serviceDefinition(WorkflowService));

  const route = service.routes.find(({ prefix }) => prefix === '/v1/');
  return {
    store,
    journal,
    service,
    put,
    /** The number of watchers of objects. */
    listeners: () => listeners,
    stop: () => stopping.abort(),
    call: <Answer>(method: string, request: object, headers: Record<string, string> = {}) =>
      unary<Answer>(api, method, request, headers),
    watch: (jobId: string) =>
      (api['watchJob'] as unknown as (request: object) => ClientReadableStream<Job>).call(api, { jobId }),
    async rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const request = new Request(`http://127.0.0.1:7080${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const context = {
        peer: { address: '127.0.0.1', port: 1 },
        localAddress: '127.0.0.1',
        signal: request.signal,
      };
      const response = await route?.handle(request, context);
      assert.ok(response !== undefined);
      return response;
    },
    hardware: async (name: string) =>
      (await store.get({ collection: 'hardware.tinkerbell.org', namespace: 'default', name }))
        ?.object as Hardware,
    workflows: async () =>
      (await store.list({ collection: 'workflows.tinkerbell.org' })).items.map(
        ({ object }) => object as Workflow,
      ),
    async deleteJob(jobId: string) {
      const key = {
        collection: 'workflows.tinkerbell.org',
        namespace: 'default',
        name: `job-${jobId.toLowerCase()}`,
      };
      const expectedRevision = (await store.get(key))?.revision ?? 0;
      assert.ok((await store.commit([{ operation: 'delete', key, expectedRevision }])).ok);
    },
    /** Does what upstream's agent does until its workflow has ended. The given action fails, once. */
    async runAgent(agentId: string, actions: number, failing?: string) {
      for (let done = 0; done < actions; done++) {
        const action = await unary<ActionResponse>(agents, 'getAction', { agentId });
        const report = (actionState: StateType) =>
          unary(agents, 'reportActionStatus', {
            workflowId: action.workflowId,
            agentId,
            taskId: action.taskId,
            actionId: action.actionId,
            actionName: action.name,
            actionState,
          });
        await report(StateType.RUNNING);
        await report(action.name === failing ? StateType.FAILED : StateType.SUCCESS);
        if (action.name === failing) return;
      }
    },
    async [Symbol.asyncDispose]() {
      api.close();
      agents.close();
      stopping.abort();
      for (const one of services) await one.stopped();
      await renderer.close();
      await journal.close();
    },
  };
}

function unary<Answer>(
  client: object,
  method: string,
  request: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return new Promise((resolve, reject) => {
    const call = (client as Record<string, (request: object, metadata: Metadata, done: unknown) => void>)[
      method
    ];
    call?.call(client, request, metadata, (error: ServiceError | null, answer: Answer) =>
      error === null ? resolve(answer) : reject(error),
    );
  });
}

function nameOf(state: Job_State): string {
  return Object.entries(Job_State).find(([, number]) => number === state)?.[0] ?? '';
}

/** Returns every job of a watch until it ends, by the names of their states. */
export function statesOf(stream: ClientReadableStream<Job>): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const states: string[] = [];
    stream.on('data', (job: Job) => states.push(nameOf(job.state)));
    stream.on('error', reject);
    stream.on('end', () => resolve(states));
  });
}

export const debian = { osImage: 'debian-12' };

export function provision(
  server: RunningProvisioning,
  request: object,
  headers: Record<string, string> = {},
) {
  return server.call<ProvisionDeviceResponse>('provisionDevice', { ...debian, ...request }, headers);
}

export function jobOf(server: RunningProvisioning, jobId: string): Promise<Job> {
  return server.call<Job>('getJobStatus', { jobId });
}

export function comesTo(server: RunningProvisioning, jobId: string, state: Job_State): Promise<Job> {
  return eventually(async () => {
    const job = await jobOf(server, jobId);
    return job.state === state ? job : undefined;
  });
}
