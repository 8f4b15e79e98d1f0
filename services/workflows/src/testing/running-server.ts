/** The service on its own port, with a store in memory. */
import assert from 'node:assert/strict';
import { credentials, makeClientConstructor, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeHmac, nodeRandom } from '@tinkerbell/platform-node';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { createAgentSessions, openIdentityKey } from '@tinkerbell/engine-agent-sessions';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import type { WorkflowEvent } from '@tinkerbell/workflow';
import { applyWorkflowEvent } from '@tinkerbell/engine-workflow-events';
import type { WorkflowsConfig } from '../agent-call-deps.ts';
import { createWorkflowsService } from '../workflows-service.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });

export type RunningServer = Awaited<ReturnType<typeof runningServer>>;

/** With `agentAuth`, agents need sessions, and `sessions` then mints boot tokens. */
export async function runningServer(config: Partial<WorkflowsConfig> = {}, agentAuth: AgentAuthMode = 'off') {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const key = await openIdentityKey({ store, hmac: nodeHmac, random: nodeRandom, clock: nodeClock });
  const sessions = createAgentSessions({ store, view, clock: nodeClock, random: nodeRandom, key }, agentAuth);
  const agentGate = agentAuth === 'off' ? {} : { agentGate: sessions };
  const deps = { store, view, journal, clock: nodeClock, random: nodeRandom, log, ...agentGate };
  const service = createWorkflowsService(deps, { address: '127.0.0.1', port: 0, ...config });
  await service.start(stopping.signal);
  const clients: { close(): void }[] = [];
  const keyOf = (name: string) => ({ collection: 'workflows.tinkerbell.org', namespace: 'default', name });
  const put = async (key: { collection: string; name: string; namespace: string }, object: object) =>
    assert.ok((await store.commit([{ operation: 'create', key, object: object as Workflow }])).ok);
  return {
    store,
    journal,
    service,
    sessions,
    address: () => `127.0.0.1:${service.port()}`,
    /** A client of any service. It is closed with the server. */
    client(definition: object, options: object = {}, channel = credentials.createInsecure()) {
      const Client = makeClientConstructor(definition as never, 'client');
      const client = new Client(`127.0.0.1:${service.port()}`, channel, options);
      clients.push(client);
      return client;
    },
    putWorkflow: (object: Workflow) => put(keyOf(object.metadata.name), object),
    putHardware: (object: Hardware) =>
      put(
        { collection: 'hardware.tinkerbell.org', namespace: 'default', name: object.metadata.name },
        object,
      ),
    apply: async (event: WorkflowEvent, name = 'w') =>
      assert.ok((await applyWorkflowEvent(deps, keyOf(name), event)).ok, event.kind),
    status: async (name = 'w') => ((await store.get(keyOf(name)))?.object as Workflow | undefined)?.status,
    async deleteWorkflow(name = 'w') {
      const stored = await store.get(keyOf(name));
      const expectedRevision = stored?.revision ?? 0;
      await store.commit([{ operation: 'delete', key: keyOf(name), expectedRevision }]);
    },
    records: (...events: string[]): Promise<readonly JournalRecord[]> =>
      journal.read(events.length === 0 ? { after: 0 } : { after: 0, events }),
    counter: (name: string): number => samplesOf(service.metrics)[name] ?? 0,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      stopping.abort();
      await service.stopped();
      await journal.close();
    },
  };
}

/** The response of a unary method. */
export function answerOf<Response>(
  client: object,
  method: string,
  request: object,
  metadata = new Metadata(),
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = (client as Record<string, (request: object, metadata: Metadata, done: unknown) => void>)[
      method
    ];
    call?.call(client, request, metadata, (error: ServiceError | null, response: Response) =>
      error === null ? resolve(response) : reject(error),
    );
  });
}

/** True for an error of that code whose message matches. */
export function hasCode(code: number, message: RegExp): (error: ServiceError) => boolean {
  return (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.details, message);
    return true;
  };
}

/** Resolves when `look` returns a value. It is called every few milliseconds for at most five seconds. */
export async function eventually<Value>(
  look: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const giveUpMs = Date.now() + 5000;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    assert.ok(Date.now() < giveUpMs, 'the condition was not met within 5 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
