/** The real workflow service on a memory store with one Workflow. A test can restart it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeHmac, nodeRandom } from '@tinkerbell/platform-node';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import { createWorkflowsService } from '@tinkerbell/service-workflows';
import { updateObject } from '@tinkerbell/store-contract';
import { createAgentSessions, openIdentityKey } from '@tinkerbell/engine-agent-sessions';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { mac } from '@tinkerbell/wire';
import { statusOf, transition, type WorkflowEvent } from '@tinkerbell/workflow';

const log = createNodeLog({ level: 'silent', format: 'json' });
const MAC = mac('02:00:5e:10:00:01');
const key = { collection: 'workflows.tinkerbell.org', namespace: 'default', name: 'flow' };
export function workflowOf(
  commands: readonly string[],
  environment: readonly [string, string][] = [],
): Workflow {
  let ids = 0;
  const actions = commands.map((command, index) => ({
    name: `action-${index + 1}`,
    image: 'busybox',
    timeoutSeconds: 60,
    command: ['sh', '-c', command],
    volumes: [],
    environment: new Map(environment),
    pid: '',
    namespaces: { network: '', pid: '' },
  }));
  const task = {
    name: 'task',
    worker: 'agent-1',
    volumes: [],
    environment: new Map<string, string>(),
    actions,
  };
  const rendered = { name: 'flow', globalTimeoutSeconds: 0, tasks: [task] };
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'flow', namespace: 'default', uid: 'flow-uid' },
    spec: {},
    status: { ...statusOf(rendered, () => `id-${++ids}`), state: 'PENDING' },
  };
}

/** With `agentAuth`, the agent's machine has a Hardware, and `mint` creates boot tokens for it. */
export async function startServer(
  context: TestContext,
  workflow: Workflow,
  agentAuth: AgentAuthMode = 'off',
) {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const viewing = new AbortController();
  await view.start(viewing.signal);
  await store.commit([{ operation: 'create', key, object: workflow }]);
  const hardware: Hardware = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name: 'machine', namespace: 'default', uid: 'machine-uid' },
    spec: { agentID: 'agent-1', interfaces: [{ dhcp: { mac: MAC } }] },
  };
  const hardwareKey = { collection: 'hardware.tinkerbell.org', namespace: 'default', name: 'machine' };
  await store.commit([{ operation: 'create', key: hardwareKey, object: hardware }]);
  const tokenKey = await openIdentityKey({ store, hmac: nodeHmac, random: nodeRandom, clock: nodeClock });
  const agentGate = createAgentSessions(
    { store, view, clock: nodeClock, random: nodeRandom, key: tokenKey },
    agentAuth,
  );
  const start = async (port: number) => {
    const stopping = new AbortController();
    const service = createWorkflowsService(
      { store, view, journal, clock: nodeClock, random: nodeRandom, log, agentGate },
      { address: '127.0.0.1', port, httpOrigins: ['http://192.0.2.1:7171'] },
    );
    await service.start(stopping.signal);
    return {
      port: service.port(),
      counter: (name: string) => samplesOf(service.metrics)[name] ?? 0,
      trials: service.trials,
      async stop() {
        stopping.abort();
        await service.stopped();
      },
    };
  };
  let service = await start(0);
  context.after(async () => {
    await service.stop();
    viewing.abort();
  });
  return {
    address: `127.0.0.1:${service.port}`,
    mint: () => agentGate.mint(MAC, undefined),
    status: async () => ((await store.get(key))?.object as Workflow | undefined)?.status ?? {},
    counter: (name: string) => service.counter(name),
    trials: () => service.trials,
    output: async () =>
      (await journal.read({ after: 0, events: ['action-output'] })).map(({ message }) => message),
    async restart() {
      await service.stop();
      service = await start(service.port);
    },
    async apply(event: WorkflowEvent) {
      const applied = await updateObject<string>(store, key, (current) => {
        const next = transition((current as Workflow).status ?? {}, event, {
          nowMs: nodeClock.nowMs(),
          nextId: () => 'id',
        });
        return next.ok ? { object: { ...current, status: next.status } } : { refusal: next.reason };
      });
      assert.ok(applied.ok);
    },
  };
}

export async function eventually(isMet: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = nodeClock.nowMs() + 60_000;
  while (!(await isMet())) {
    assert.ok(nodeClock.nowMs() < giveUpMs, 'the condition was not met within 15 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
