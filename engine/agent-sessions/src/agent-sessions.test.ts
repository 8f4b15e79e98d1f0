import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentAuthMode } from '@tinkerbell/agent-identity';
import { createNodeLog, nodeClock, nodeHmac, nodeRandom } from '@tinkerbell/platform-node';
import type { Hardware, Workflow } from '@tinkerbell/resources';
import type { Store } from '@tinkerbell/store-contract';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { mac } from '@tinkerbell/wire';
import { createAgentSessions, identityKeyPlace, openIdentityKey } from './index.ts';

const MAC = mac('02:00:5e:10:00:01');
const OTHER = mac('02:00:5e:10:00:02');
const log = createNodeLog({ level: 'silent', format: 'json' });

function hardware(name: string, address: string): Hardware {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Hardware',
    metadata: { name, namespace: 'lab', uid: `uid-${name}` },
    spec: { interfaces: [{ dhcp: { mac: address } }] },
  };
}

function workflow(name: string, state: string): Workflow {
  return {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'lab', uid: `uid-${name}` },
    spec: { hardwareRef: 'one' },
    status: { state, agentID: MAC },
  };
}

async function site(mode: AgentAuthMode = 'required') {
  const inner = createMemoryStore();
  let isAway = false;
  const store: Store = {
    ...inner,
    get: (key) => (isAway ? Promise.reject(new Error('away')) : inner.get(key)),
    list: (query) => inner.list(query),
    commit: (writes) => inner.commit(writes),
    watch: (query, handlers) => inner.watch(query, handlers),
    revision: () => inner.revision(),
    close: () => inner.close(),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  const view = createStoreView({ store, clock: nodeClock, log });
  const stopping = new AbortController();
  await view.start(stopping.signal);
  let skewMs = 0;
  const clock = {
    ...nodeClock,
    nowMs: () => nodeClock.nowMs() + skewMs,
    monotonicMs: () => nodeClock.monotonicMs() + skewMs,
  };
  const put = async (collection: string, object: Hardware | Workflow) => {
    const { name, namespace } = object.metadata;
    const key = { collection, namespace, name };
    const stored = await inner.get(key);
    const write =
      stored === undefined
        ? ({ operation: 'create', key, object } as const)
        : ({ operation: 'update', key, object, expectedRevision: stored.revision } as const);
    assert.ok((await inner.commit([write])).ok);
  };
  await put('hardware.tinkerbell.org', hardware('one', MAC));
  await put('hardware.tinkerbell.org', hardware('two', OTHER));
  const key = await openIdentityKey({ store, hmac: nodeHmac, random: nodeRandom, clock });
  const server = () => createAgentSessions({ store, view, clock, random: nodeRandom, key }, mode);
  const sessions = server();
  return {
    store,
    key,
    server,
    sessions,
    putWorkflow: (name: string, state: string) => put('workflows.tinkerbell.org', workflow(name, state)),
    pass: (seconds: number) => void (skewMs += seconds * 1000),
    away: (value: boolean) => void (isAway = value),
    sessionOf: async (address = MAC, workflowUid?: string) => {
      const given = await sessions.exchange({
        agentId: address,
        bootToken: sessions.mint(address, workflowUid),
      });
      assert.ok(given.ok, JSON.stringify(given));
      return given.session;
    },
    ask: async (session: string | undefined, agentId: string = MAC, purpose: 'read' | 'report' = 'read') => {
      const admitted = await sessions.admit({ agentId, session, purpose });
      return admitted.ok ? 'admitted' : admitted.refusal.reason;
    },
  };
}

test('servers on one store have one key, and it has 32 bytes', async () => {
  const { store, key } = await site();
  const second = await openIdentityKey({ store, hmac: nodeHmac, random: nodeRandom, clock: nodeClock });
  assert.deepEqual(second.sign(Uint8Array.of(1)), key.sign(Uint8Array.of(1)));
  const secret = (await store.get(identityKeyPlace))?.object as unknown as { data: { key: string } };
  assert.equal(Buffer.from(secret.data.key, 'base64').length, 32);
});

test('a boot token is exchanged once, also at two servers at the same time', async () => {
  const { sessions, server } = await site();
  const request = { agentId: MAC, bootToken: sessions.mint(MAC, undefined) };
  const answers = await Promise.all([sessions, server(), server()].map((one) => one.exchange(request)));
  assert.equal(answers.filter(({ ok }) => ok).length, 1);
  const refused = answers.filter((one) => !one.ok).map(({ refusal }) => refusal.reason);
  assert.deepEqual(refused, ['replayed', 'replayed']);
});

test('a newer session fences the older one at every server', async () => {
  const { server, sessionOf, ask } = await site();
  const other = server();
  const askOther = (session: string) => other.admit({ agentId: MAC, session, purpose: 'read' });
  const older = await sessionOf();
  assert.equal(await ask(older), 'admitted');
  assert.ok((await askOther(older)).ok);
  const newer = await sessionOf();
  assert.equal(await ask(older), 'fenced');
  assert.equal(await ask(newer), 'admitted');
  for (const elsewhere of [
    await askOther(older),
    await server().admit({ agentId: MAC, session: older, purpose: 'read' }),
  ])
    assert.ok(!elsewhere.ok && elsewhere.refusal.reason === 'fenced');
});

test('a token is for its machine, its agent and its time', async () => {
  const { sessions, sessionOf, ask, pass } = await site();
  const session = await sessionOf();
  assert.equal(await ask(session, OTHER), 'another-machine');
  const foreign = await sessions.exchange({ agentId: OTHER, bootToken: sessions.mint(MAC, undefined) });
  assert.ok(!foreign.ok && foreign.refusal.reason === 'another-machine');
  assert.equal(await ask(sessions.mint(MAC, undefined)), 'invalid');
  const asBoot = await sessions.exchange({ agentId: MAC, bootToken: session });
  assert.ok(!asBoot.ok && asBoot.refusal.reason === 'invalid');
  const late = sessions.mint(MAC, undefined);
  pass(900);
  const expired = await sessions.exchange({ agentId: MAC, bootToken: late });
  assert.ok(!expired.ok && expired.refusal.reason === 'expired');
  pass(31 * 86_400);
  assert.equal(await ask(session), 'expired');
});

test('a session is for the workflow of its script, and ends with it', async () => {
  const { sessions, putWorkflow, sessionOf, ask, pass } = await site();
  await putWorkflow('w', 'PENDING');
  const session = await sessionOf(MAC, 'uid-w');
  const admitted = await sessions.admit({ agentId: MAC, session, purpose: 'read' });
  assert.ok(admitted.ok && admitted.session?.workflow?.name === 'w');
  const other = { namespace: 'lab', name: 'v', uid: 'uid-v' };
  assert.equal((await sessions.bind(admitted.session, other))?.reason, 'another-workflow');
  await putWorkflow('w', 'SUCCESS');
  assert.deepEqual([await ask(session), await ask(session, MAC, 'report')], ['ended', 'admitted']);
  pass(60);
  assert.equal(await ask(session, MAC, 'report'), 'ended');
  const again = await sessions.exchange({ agentId: MAC, bootToken: sessions.mint(MAC, 'uid-w') });
  assert.ok(!again.ok && again.refusal.reason === 'ended');
  await putWorkflow('w', 'RUNNING');
  assert.equal(await ask(session), 'admitted', 'an operator who retries it');
});

test('without a workflow it is bound to the first, once', async () => {
  const { sessions, putWorkflow, sessionOf, ask } = await site();
  await putWorkflow('w', 'PENDING');
  const session = await sessionOf();
  const admitted = await sessions.admit({ agentId: MAC, session, purpose: 'read' });
  assert.ok(admitted.ok && admitted.session !== undefined);
  const [w, v] = ['w', 'v'].map((name) => ({ namespace: 'lab', name, uid: `uid-${name}` }));
  assert.ok(w !== undefined && v !== undefined);
  assert.equal(await sessions.bind(admitted.session, w), undefined);
  assert.equal((await sessions.bind(admitted.session, v))?.reason, 'another-workflow');
  assert.equal(await sessions.bind(admitted.session, w), undefined);
  await putWorkflow('w', 'FAILED');
  assert.equal(await ask(session), 'ended');
});

test('optional: a client without a token is allowed, unless the machine has a live session', async () => {
  const { putWorkflow, sessionOf, ask } = await site('optional');
  assert.equal(await ask(undefined), 'admitted');
  await putWorkflow('w', 'RUNNING');
  await sessionOf(MAC, 'uid-w');
  assert.equal(await ask(undefined), 'no-token');
  assert.equal(await ask(undefined, MAC.toUpperCase()), 'no-token');
  assert.equal(await ask(undefined, MAC.replaceAll(':', '-')), 'no-token');
  assert.equal(await ask(undefined, OTHER), 'admitted');
  assert.equal(await ask('garbage'), 'invalid');
  await putWorkflow('w', 'SUCCESS');
  assert.equal(await ask(undefined), 'admitted');
});

test('verifies the Hardware of a live session', async () => {
  const { sessions, sessionOf } = await site('off');
  const session = await sessionOf();
  assert.deepEqual(await sessions.verify(session), {
    ok: true,
    mac: MAC,
    hardware: { namespace: 'lab', name: 'one' },
  });
  await sessionOf();
  const older = await sessions.verify(session);
  assert.ok(!older.ok && older.refusal.reason === 'fenced');
});

test('while the store is unavailable, tokens are minted, known sessions accepted, invalid ones refused, and the rest unanswered', async () => {
  const { sessions, sessionOf, ask, away } = await site('optional');
  const session = await sessionOf();
  assert.equal(await ask(session), 'admitted');
  away(true);
  assert.match(sessions.mint(MAC, undefined), /^[\w-]{58}$/);
  assert.equal(await ask(session), 'admitted');
  assert.equal(await ask('garbage'), 'invalid');
  await assert.rejects(ask(undefined, OTHER), /away/);
});

test('while the store is unavailable, a session that this server has given just before still fences the older one', async () => {
  const { sessionOf, ask, away } = await site();
  const older = await sessionOf();
  assert.equal(await ask(older), 'admitted');
  const newer = await sessionOf();
  away(true);
  assert.equal(await ask(newer), 'admitted');
  assert.equal(await ask(older), 'fenced');
});
