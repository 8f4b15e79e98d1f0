/**
 * Tests a real kube-apiserver that keeps the objects: with our CRDs, and with upstream's. `npm run e2e --
 * cluster` builds it. Where that was done, `npm test` runs a part of this.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Change, Store } from '@tinkerbell/store-contract';
import { storeSuite } from '@tinkerbell/store-contract/suite';
import { accessFrom, openKubernetesStore } from '@tinkerbell/store-kubernetes';
import { applyDefinitions, type ApiServer } from './cluster/api-server.ts';
import { startKubeApiServer } from './cluster/kube-apiserver.ts';
import { kubeProgramsAreMissing } from './cluster/kube-programs.ts';
import { runRestarts } from './cluster/restarts-run.ts';

const log = createNodeLog({ level: 'silent', format: 'json' });
const skip = kubeProgramsAreMissing() ?? false;
/** `npm run e2e -- cluster` runs all 20. */
const restarts = Number(process.env['CLUSTER_RESTARTS'] ?? 3);
/** A different seed in each run. The failure names it. */
const seed = process.hrtime()[1];
const definitions = ['ours', 'upstream'] as const;
type Whose = (typeof definitions)[number];

const collection = 'templates.tinkerbell.org';
const ROOT = '/apis/tinkerbell.org/v1alpha1';
const NAMESPACES = ['one', 'two'];

const open = (api: ApiServer) =>
  openKubernetesStore({ access: accessFrom(api.kubeconfig, {}), clock: nodeClock, random: nodeRandom, log });

/** One cluster for all tests of the contract. It is emptied for each. */
class SuiteCluster {
  readonly #whose: Whose;
  #api: Promise<ApiServer> | undefined;
  #started: ApiServer | undefined;

  constructor(whose: Whose) {
    this.#whose = whose;
  }

  async open(): Promise<Store> {
    const api = await (this.#api ??= this.#start());
    for (const namespace of ['default', ...NAMESPACES])
      await api.call({ method: 'DELETE', path: `${ROOT}/namespaces/${namespace}/templates` });
    return open(api);
  }

  async #start(): Promise<ApiServer> {
    const api = await startKubeApiServer();
    this.#started = api;
    await applyDefinitions(api, this.#whose);
    for (const name of NAMESPACES) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await api.call({ method: 'POST', path: '/api/v1/namespaces', body });
    }
    return api;
  }

  async close(): Promise<void> {
    await this.#started?.[Symbol.asyncDispose]();
  }
}

if (skip === false)
  for (const whose of definitions) {
    const cluster = new SuiteCluster(whose);
    after(() => cluster.close());
    storeSuite(`kube-apiserver with CRDs of ${whose}`, () => cluster.open(), {
      'refuses a watch from before the oldest change it keeps':
        'a cluster keeps changes for minutes, and sends what a watch has missed after its call has returned',
    });
  }

for (const whose of definitions) {
  test(`${restarts} restarts of kube-apiserver under load, CRDs of ${whose}`, { skip }, async () => {
    await using api = await startKubeApiServer();
    await applyDefinitions(api, whose);
    await api.grant();
    const report = await runRestarts({ api, kubeconfig: api.userKubeconfig, restarts, seed });
    assert.deepEqual(report.violations, [], `seed ${seed}`);
    assert.ok(report.workflows > restarts && report.starts > restarts, JSON.stringify(report));
    assert.ok(report.watchRestarts >= restarts, JSON.stringify(report));
    const { conditions, attempts } = await statusesIn(api);
    assert.equal(conditions > 0, whose === 'upstream');
    assert.equal(attempts > 0, whose === 'ours');
  });
}

interface Listed {
  readonly items: readonly {
    readonly status?: {
      readonly conditions?: readonly { readonly type: string }[];
      readonly tasks?: readonly { readonly actions: readonly { readonly attempt?: number }[] }[];
    };
  }[];
}

/** Returns how many Workflows have added fields, in their own place and beside it, in the cluster. */
async function statusesIn(
  api: ApiServer,
): Promise<{ readonly conditions: number; readonly attempts: number }> {
  const { body } = await api.call({ method: 'GET', path: `${ROOT}/namespaces/default/workflows` });
  const statuses = (body as Listed).items.map(({ status = {} }) => status);
  const hasCondition = statuses.filter(({ conditions = [] }) =>
    conditions.some(({ type }) => type === 'TinkerbellStatusFields'),
  );
  const hasAttempt = statuses.filter(({ tasks = [] }) =>
    tasks.some(({ actions }) => actions.some(({ attempt }) => attempt !== undefined)),
  );
  return { conditions: hasCondition.length, attempts: hasAttempt.length };
}

test('replacing a CRD while its objects are watched loses and repeats nothing', { skip }, async () => {
  await using api = await startKubeApiServer();
  await applyDefinitions(api, 'upstream');
  await using store = await open(api);
  const seen: string[] = [];
  const ends: string[] = [];
  const handlers = {
    onChange: ({ key }: Change) => void seen.push(key.name),
    onEnd: (why: string) => void ends.push(why),
  };
  const fromRevision = await store.revision();
  assert.ok((await store.watch({ collection, fromRevision }, handlers)).ok);
  const names: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    await applyDefinitions(api, round % 2 === 0 ? 'ours' : 'upstream');
    for (const when of ['a', 'b']) {
      const [name, namespace] = [`t-${round}-${when}`, 'default'];
      const object = {
        apiVersion: 'tinkerbell.org/v1alpha1',
        kind: 'Template',
        metadata: { name, namespace },
        spec: { data: 'x' },
      };
      const made = await store.commit([
        { operation: 'create', key: { collection, namespace, name }, object },
      ]);
      assert.ok(made.ok, JSON.stringify(made));
      names.push(name);
    }
  }
  while (ends.length === 0 && !seen.includes('t-4-b'))
    await new Promise((resolve) => setTimeout(resolve, 10));
  if (ends.length === 0) assert.deepEqual(seen, names);
  assert.equal((await store.list({ collection })).items.length, names.length);
});

const apiVersion = 'tinkerbell.org/v1alpha1';
const task = (attempt: number) => ({
  id: 't',
  name: 't',
  agentID: 'a',
  actions: [{ id: 'one', name: 'one', state: 'RUNNING', attempt }],
});
const conditions = [
  {
    type: 'OwnsItsAddresses',
    status: 'False',
    reason: 'OwnedByAnother',
    message: 'x',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  },
];

for (const whose of definitions) {
  test(`added fields are stored and read, CRDs of ${whose}`, { skip }, async () => {
    await using api = await startKubeApiServer();
    await applyDefinitions(api, whose);
    await using store = await open(api);
    for (const [kind, plural, first, second] of [
      ['Workflow', 'workflows', { state: 'RUNNING', tasks: [task(1)] }, { paused: true, tasks: [task(2)] }],
      ['Hardware', 'hardware', { conditions }, { state: 'ready', conditions: [] }],
    ] as const) {
      const [name, namespace] = ['one', 'default'];
      const key = { collection: `${plural}.tinkerbell.org`, namespace, name };
      const object = { apiVersion, kind, metadata: { name, namespace }, spec: {}, status: first };
      const made = await store.commit([{ operation: 'create', key, object }]);
      assert.ok(made.ok, JSON.stringify(made));
      const before = await store.get(key);
      assert.ok(before !== undefined);
      assert.deepEqual(before.object.status, first);
      const labels = { rack: 'a' };
      const changed = { ...before.object, metadata: { ...before.object.metadata, labels }, status: second };
      const update = {
        operation: 'update',
        key,
        object: changed,
        expectedRevision: before.revision,
      } as const;
      const updated = await store.commit([update]);
      assert.ok(updated.ok, JSON.stringify(updated));
      const after = await store.get(key);
      assert.deepEqual([after?.object.status, after?.object.metadata.labels], [second, labels]);
      assert.equal(after?.object.metadata.annotations, undefined);
      assert.equal(after?.revision, updated.revision);
      const stale = await store.commit([update]);
      assert.ok(!stale.ok && stale.reason === 'conflict', JSON.stringify(stale));
    }
  });
}
