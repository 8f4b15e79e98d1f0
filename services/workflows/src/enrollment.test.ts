/** Discovery and enrollment through a real gRPC client. The test performs the controller's changes to a Workflow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { credentials, makeClientConstructor, status, type ServiceError } from '@grpc/grpc-js';
import {
  ActionRequestSchema,
  WorkflowService,
  type ActionResponse,
  type AgentAttributesSchema,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { samplesOf } from '@tinkerbell/platform-metrics';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import { collectionOf, kindFor } from '@tinkerbell/resources';
import type { Hardware, HardwareSpec, Resource, Workflow } from '@tinkerbell/resources';
import { hardwareCollection, updateObject, type ObjectKey } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { statusOf } from '@tinkerbell/workflow';
import { createWorkflowsService, type WorkflowsConfig } from './index.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const mac = '52:54:00:00:00:01';
const attributes: MessageInitShape<typeof AgentAttributesSchema> = {
  network: [{ name: 'eth0', mac: mac.toUpperCase() }],
  block: [{ name: 'vda', size: '10GB' }],
  chassis: { serial: '12345' },
};
const discovery = { namespace: 'machines', enrollmentEnabled: false, requireApproval: false };
const hardwareKey = hardwareCollection.key({ namespace: 'machines', name: 'discovery-52-54-00-00-00-01' });
const workflowKey = {
  collection: 'workflows.tinkerbell.org',
  namespace: 'machines',
  name: 'enrollment-52-54-00-00-00-01',
};

type Auto = Pick<WorkflowsConfig, 'autoDiscovery' | 'autoEnrollment' | 'holdMs'>;

async function startedServer(auto: Auto) {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  const service = createWorkflowsService(
    { store, view, journal, clock: nodeClock, random: nodeRandom, log },
    { address: '127.0.0.1', port: 0, ...auto },
  );
  await service.start(stopping.signal);
  const Client = makeClientConstructor(serviceDefinition(WorkflowService) as never, 'WorkflowService');
  const client = new Client(`127.0.0.1:${service.port()}`, credentials.createInsecure());
  const get = async <Object extends Resource>(key: ObjectKey) =>
    (await store.get(key))?.object as Object | undefined;
  return {
    getAction: (agentId = mac, agentAttributes: typeof attributes | null = attributes) =>
      new Promise<ActionResponse>((resolve, reject) => {
        const request = create(ActionRequestSchema, { agentId, ...(agentAttributes && { agentAttributes }) });
        client['getAction']?.(request, (error: ServiceError | null, response: ActionResponse) =>
          error === null ? resolve(response) : reject(error),
        );
      }),
    counters: () => samplesOf(service.metrics),
    hardware: () => get<Hardware>(hardwareKey),
    workflow: () => get<Workflow>(workflowKey),
    async put(object: Resource) {
      const kind = kindFor(object.apiVersion, object.kind);
      assert.ok(kind !== undefined);
      const { namespace, name } = object.metadata;
      const key = { collection: collectionOf(kind), namespace, name };
      assert.ok((await store.commit([{ operation: 'create', key, object }])).ok);
    },
    async change(key: ObjectKey, edit: (current: Resource) => Resource) {
      assert.ok((await updateObject(store, key, (current) => ({ object: edit(current) }))).ok);
    },
    /** Performs the controller's changes once the Workflow exists. */
    async render() {
      while ((await get(workflowKey)) === undefined) await new Promise(setImmediate);
      await this.change(workflowKey, (current) => ({ ...current, status: rendered() }));
    },
    records: async (event: string) =>
      (await journal.read({ after: 0 })).filter((record) => record.event === event),
    async [Symbol.asyncDispose]() {
      client.close();
      stopping.abort();
      await service.stopped();
      await journal.close();
    },
  };
}

function rendered() {
  const action = {
    name: 'one',
    image: 'img',
    timeoutSeconds: 60,
    command: [],
    volumes: [],
    environment: new Map<string, string>(),
    pid: '',
    namespaces: { network: '', pid: '' },
  };
  const task = {
    name: 't',
    worker: mac,
    volumes: [],
    environment: new Map<string, string>(),
    actions: [action],
  };
  let ids = 0;
  const made = statusOf({ name: 'w', globalTimeoutSeconds: 0, tasks: [task] }, () => `id-${++ids}`);
  return { ...made, state: 'PENDING' };
}

function ruleSet(rules: readonly string[], name = 'r1'): Resource {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'WorkflowRuleSet',
    metadata: { name, namespace: 'machines', uid: 'u1' },
    spec: {
      rules,
      workflow: {
        addAttributes: true,
        template: { ref: 'debian', agentValue: 'device_1', kvs: { disk: '/dev/vda' } },
      },
    },
  };
}

const anyMac = '{"networkInterfaces": {"mac": [{"wildcard": "52:54:*"}]}}';

function hardware(name: string, spec: HardwareSpec): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'machines' },
    spec,
  };
}

function hasCode(code: status, message: string): (error: ServiceError) => boolean {
  return (error) => {
    assert.equal(error.details, message);
    assert.equal(error.code, code);
    return true;
  };
}

const notFound = hasCode(status.NOT_FOUND, 'no Workflows found');
const disabled = hasCode(status.FAILED_PRECONDITION, 'auto enrollment is disabled for this hardware');
const unmatched = hasCode(status.NOT_FOUND, `no Workflow Rule Sets found or matched for Agent ${mac}`);

test('creates nothing for an unknown agent when neither feature is enabled', async () => {
  await using server = await startedServer({ holdMs: 1 });
  await server.put(ruleSet([anyMac]));
  await assert.rejects(server.getAction(), notFound);
  assert.equal(await server.hardware(), undefined);
  assert.equal(await server.workflow(), undefined);
});

test('discovers a machine once, and records it in its timeline', async () => {
  await using server = await startedServer({ autoDiscovery: discovery, holdMs: 1 });
  await assert.rejects(server.getAction(), notFound);
  await assert.rejects(server.getAction(), notFound);
  const found = await server.hardware();
  assert.match(found?.metadata.uid ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(found?.metadata.labels?.['tinkerbell.org/auto-discovered'], 'true');
  assert.deepEqual(found.spec, {
    agentID: mac,
    auto: { enrollmentEnabled: false },
    disks: [{ device: '/dev/vda' }],
    interfaces: [{ dhcp: { mac } }],
  });
  const records = await server.records('machine-discovered');
  assert.deepEqual(
    records.map(({ machine, message }) => [machine, message]),
    [[mac, `machine of agent ${mac} discovered: hardware machines/discovery-52-54-00-00-00-01`]],
  );
  assert.equal(server.counters()['tink_server_auto_discovery_total{result="discovered"}'], 1);
});

test('discovers and enrolls a machine in one held call, and assigns its first action', async () => {
  await using server = await startedServer({ autoDiscovery: discovery, autoEnrollment: {} });
  await server.put(ruleSet(['x'], 'r0'));
  await server.put(ruleSet([anyMac, '{"chassis":{"serial":["12345"]}}']));
  const held = server.getAction();
  await server.render();
  assert.equal((await held).workflowId, 'machines/enrollment-52-54-00-00-00-01');
  const made = await server.workflow();
  assert.deepEqual(made?.spec, {
    templateRef: 'debian',
    hardwareRef: 'discovery-52-54-00-00-00-01',
    hardwareMap: { device_1: mac, disk: '/dev/vda' },
  });
  assert.deepEqual(made.metadata.ownerReferences, [
    { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'WorkflowRuleSet', name: 'r1', uid: 'u1' },
  ]);
  assert.match(made.metadata.annotations?.['tinkerbell.org/agent-attributes'] ?? '', /"serial":"12345"/);
  const [record] = await server.records('machine-enrolled');
  assert.equal(record?.machine, mac);
  assert.match(
    record.message,
    /by rule set r1; machines\/r0: 0 of 1 rules match; rule 1 is invalid: .*machines\/r1: 2 of 2 rules match$/,
  );
  assert.equal(server.counters()['tink_server_auto_enrollment_total{result="enrolled"}'], 1);
});

test('enrolls a held agent as soon as a rule set matches it', async () => {
  await using server = await startedServer({ autoEnrollment: {} });
  const held = server.getAction();
  while ((await server.records('enrollment-refused')).length === 0) await new Promise(setImmediate);
  await server.put(ruleSet([anyMac]));
  await server.render();
  assert.equal((await held).name, 'one');
  assert.equal((await server.workflow())?.spec?.hardwareRef, undefined);
});

test("answers with upstream's codes when no Workflow is created, and records the reason once", async () => {
  await using server = await startedServer({ autoEnrollment: {}, holdMs: 1 });
  await assert.rejects(server.getAction(), unmatched);
  await assert.rejects(server.getAction(), unmatched);
  const [record, ...more] = await server.records('enrollment-refused');
  assert.match(record?.message ?? '', /; there is no WorkflowRuleSet$/);
  assert.equal(more.length, 0);
  await server.put(ruleSet([anyMac]));
  await assert.rejects(server.getAction(mac, null), unmatched);
  await server.put(hardware('m1', { agentID: mac }));
  await assert.rejects(server.getAction(), disabled);
  assert.equal(await server.workflow(), undefined);
});

test('does not enroll an agent that already has a Workflow', async () => {
  await using server = await startedServer({ autoEnrollment: {}, holdMs: 1 });
  await server.put(ruleSet([anyMac]));
  await assert.rejects(server.getAction(), notFound);
  await assert.rejects(server.getAction(), hasCode(status.FAILED_PRECONDITION, 'existing workflow found'));
});

test('enrolls a discovered machine in its first call only, unless its Hardware allows more', async () => {
  await using server = await startedServer({ autoDiscovery: discovery, autoEnrollment: {}, holdMs: 1 });
  await assert.rejects(server.getAction(), unmatched);
  await server.put(ruleSet([anyMac]));
  await assert.rejects(server.getAction(), disabled);
  await server.change(hardwareKey, (current) => ({
    ...current,
    spec: { ...(current as Hardware).spec, auto: { enrollmentEnabled: true } },
  }));
  await assert.rejects(server.getAction(), notFound);
  assert.equal((await server.workflow())?.spec?.hardwareRef, 'discovery-52-54-00-00-00-01');
});

test('waits for approval, and continues in the same call when it arrives', async () => {
  const autoDiscovery = { ...discovery, requireApproval: true };
  const waits = hasCode(
    status.FAILED_PRECONDITION,
    'hardware discovery-52-54-00-00-00-01 waits for approval; run tink hardware approve discovery-52-54-00-00-00-01',
  );
  {
    await using server = await startedServer({ autoDiscovery, autoEnrollment: {}, holdMs: 1 });
    await server.put(ruleSet([anyMac]));
    await assert.rejects(server.getAction(), waits);
    assert.equal(await server.workflow(), undefined);
  }
  await using server = await startedServer({ autoDiscovery, autoEnrollment: {} });
  await server.put(ruleSet([anyMac]));
  const held = server.getAction();
  while ((await server.records('enrollment-refused')).length === 0) await new Promise(setImmediate);
  await server.change(hardwareKey, (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      annotations: { ...current.metadata.annotations, 'tinkerbell.org/approval': 'approved' },
    },
  }));
  await server.render();
  assert.equal((await held).name, 'one');
});

test('stops discovering machines at its limit, and does not enroll the others', async () => {
  const autoDiscovery = { ...discovery, maxDiscovered: 1 };
  await using server = await startedServer({ autoDiscovery, autoEnrollment: {}, holdMs: 1 });
  await server.put(ruleSet([anyMac]));
  await assert.rejects(server.getAction(), notFound);
  await assert.rejects(server.getAction('52:54:00:00:00:02', {}), (error: ServiceError) => {
    assert.match(
      error.details,
      /^this machine is not discovered: 1 machines are discovered already; .*--tink-server-auto-discovery-max/,
    );
    return error.code === status.FAILED_PRECONDITION;
  });
  const [record] = await server.records('discovery-refused');
  assert.equal(record?.machine, '52:54:00:00:00:02');
});

test('limits how many it creates in a period', async () => {
  const rate = { burst: 1, perSecond: 0.0001 };
  await using server = await startedServer({
    autoDiscovery: { ...discovery, rate },
    autoEnrollment: {},
    holdMs: 1,
  });
  await assert.rejects(server.getAction(mac, {}), unmatched);
  await assert.rejects(server.getAction('a2', {}), /many machines are being discovered/);
  assert.equal(server.counters()['tink_server_auto_discovery_total{result="rate"}'], 1);
});

test('uses a Hardware without agentID as it is, and leaves a MAC of another agent alone', async () => {
  await using server = await startedServer({ autoDiscovery: discovery, autoEnrollment: {}, holdMs: 1 });
  await server.put(hardware('m1', { interfaces: [{ dhcp: { mac } }] }));
  await server.put(hardware('m2', { agentID: 'x', interfaces: [{ dhcp: { mac: '52:54:00:00:00:02' } }] }));
  await assert.rejects(server.getAction(), disabled);
  await assert.rejects(
    server.getAction('52:54:00:00:00:02', {}),
    /more than one Hardware could be this machine/,
  );
  assert.equal(await server.hardware(), undefined);
  const [record] = await server.records('discovery-refused');
  assert.match(record?.message ?? '', /: hardware machines\/m2 has a MAC of agent .*, but is of agent x$/);
});

test('reports ambiguous hardware to the operator, not to the agent', async () => {
  await using server = await startedServer({ autoEnrollment: {}, holdMs: 1 });
  await server.put(ruleSet([anyMac]));
  await server.put(hardware('m1', { agentID: 'other', interfaces: [{ dhcp: { mac } }] }));
  await assert.rejects(server.getAction(), (error: ServiceError) => !/m1|other/.test(error.details));
  const [record] = await server.records('enrollment-refused');
  assert.match(record?.message ?? '', /; hardware machines\/m1 has a MAC of agent .*other$/);
});

test('creates nothing for an agent with a long ID, and stores none of it', async () => {
  await using server = await startedServer({ autoDiscovery: discovery, autoEnrollment: {}, holdMs: 1 });
  await server.put(ruleSet([anyMac]));
  await assert.rejects(server.getAction('x'.repeat(254)), /its ID has more than 253 characters$/);
  assert.deepEqual(await server.records('discovery-refused'), []);
  assert.equal(await server.workflow(), undefined);
});

test('records once why a machine is not discovered', async () => {
  const autoDiscovery = { ...discovery, maxDiscovered: 0 };
  await using server = await startedServer({ autoDiscovery, autoEnrollment: {}, holdMs: 1 });
  for (let calls = 0; calls < 3; calls++)
    await assert.rejects(server.getAction(), /0 machines are discovered/);
  assert.equal((await server.records('discovery-refused')).length, 1);
  assert.equal((await server.records('enrollment-refused')).length, 0);
  assert.equal(server.counters()['tink_server_auto_enrollment_total{result="refused"}'], 3);
});

test('does not fill the journal with invented names', async () => {
  await using server = await startedServer({ autoEnrollment: {}, holdMs: 1 });
  for (let calls = 0; calls < 20; calls++)
    await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => server.getAction(`a-${calls}-${index}`, {})),
    );
  const recorded = (await server.records('enrollment-refused')).length;
  assert.ok(recorded >= 500 && recorded < 1000, String(recorded));
  const unrecorded = server.counters()['tink_server_auto_enrollment_total{result="unrecorded"}'] ?? 0;
  assert.equal(recorded + unrecorded, 1000);
});

test('refuses a name that another Hardware has, and treats two calls of one agent as the same agent', async () => {
  await using server = await startedServer({
    autoDiscovery: { ...discovery, enrollmentEnabled: true },
    autoEnrollment: {},
    holdMs: 1,
  });
  await server.put(hardware('discovery-a-1', { agentID: 'a:1' }));
  await assert.rejects(server.getAction('a.1', {}), /already exists, and is not of agent a\.1/);
  const both = await Promise.allSettled([server.getAction(), server.getAction()]);
  for (const one of both)
    assert.match(String(one.status === 'rejected' && one.reason), /no Workflow Rule Sets/);
});

test('stores attributes in the Hardware of a workflow at its very first action', async () => {
  await using server = await startedServer({});
  const named = hardware('m1', { interfaces: [{ dhcp: { mac } }] });
  await server.put(named);
  const key = { ...hardwareKey, name: 'm1' };
  await server.put({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name: workflowKey.name, namespace: 'machines' },
    spec: { hardwareRef: 'm1' },
    status: rendered(),
  });
  const annotation = async (): Promise<string | undefined> => {
    let text: string | undefined;
    await server.change(key, (current) => {
      text = current.metadata.annotations?.['tinkerbell.org/agent-attributes'];
      return current;
    });
    return text;
  };
  await server.getAction(mac, null);
  assert.equal(await annotation(), undefined);
  await server.getAction();
  assert.match((await annotation()) ?? '', /"serial":"12345"/);
  await server.getAction(mac, { chassis: { serial: 'other' } });
  assert.match((await annotation()) ?? '', /"serial":"12345"/);
});
