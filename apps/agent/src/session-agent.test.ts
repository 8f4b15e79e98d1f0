/** The agent as a program against the real service: our own protocol, from the first action to a cancellation. */
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';
import type { Workflow } from '@tinkerbell/resources';
import { createWorkflowsService } from '@tinkerbell/service-workflows';
import { updateObject } from '@tinkerbell/store-contract';
import { openSqliteJournal } from '@tinkerbell/store-journal';
import { createMemoryStore } from '@tinkerbell/store-memory';
import { createStoreView } from '@tinkerbell/store-view';
import { statusOf, transition, type WorkflowEvent } from '@tinkerbell/workflow';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'session-agent-test-'));
after(() => rmSync(directory, { recursive: true }));
const log = createNodeLog({ level: 'silent', format: 'json' });
const key = { collection: 'workflows.tinkerbell.org', namespace: 'default', name: 'flow' };
let runs = 0;

function workflowOf(commands: readonly string[], environment: readonly [string, string][] = []): Workflow {
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
    metadata: { name: 'flow', namespace: 'default' },
    spec: {},
    status: { ...statusOf(rendered, () => `id-${++ids}`), state: 'PENDING' },
  };
}

async function startServer(context: TestContext, workflow: Workflow) {
  const store = createMemoryStore();
  const journal = openSqliteJournal({ path: ':memory:', clock: nodeClock, log });
  const view = createStoreView({ store, clock: nodeClock, log });
  const viewing = new AbortController();
  await view.start(viewing.signal);
  await store.commit([{ operation: 'create', key, object: workflow }]);
  const start = async (port: number) => {
    const stopping = new AbortController();
    const service = createWorkflowsService(
      { store, view, journal, clock: nodeClock, random: nodeRandom, log },
      { address: '127.0.0.1', port },
    );
    await service.start(stopping.signal);
    return {
      port: service.port(),
      counter: (name: string) => service.health().counters?.[name] ?? 0,
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
    status: async () => ((await store.get(key))?.object as Workflow | undefined)?.status ?? {},
    counter: (name: string) => service.counter(name),
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

function startAgent(context: TestContext, address: string): ChildProcess {
  runs += 1;
  const options = ['--id', 'agent-1', '--grpc-server', address, '--backoff-max-interval=20ms'];
  const child = fork(MAIN, [...options, '--spool-directory', join(directory, `spool-${runs}`)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  child.stdout?.resume();
  context.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

async function eventually(look: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = nodeClock.nowMs() + 15_000;
  while (!(await look())) {
    assert.ok(nodeClock.nowMs() < giveUpMs, 'it did not come to that within 15 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('runs a workflow in one session; its output is in the journal, without secrets', async (context) => {
  const commands = ['echo one; echo with $ROOT_PASSWORD >&2', 'true', 'echo three'];
  const server = await startServer(context, workflowOf(commands, [['ROOT_PASSWORD', 'hunter22']]));
  startAgent(context, server.address);
  await eventually(async () => (await server.status()).state === 'POST');
  const status = await server.status();
  assert.deepEqual(
    status.tasks?.[0]?.actions.map(({ state, attempt }) => [state, attempt]),
    [1, 2, 3].map(() => ['SUCCESS', 1]),
  );
  const output = await server.output();
  assert.deepEqual(output.filter((line) => /one|with|three/.test(line)).toSorted(), [
    'one',
    'three',
    'with ***',
  ]);
  assert.equal(server.counter('tink_server_agent_sessions_started_total'), 1);
});

test('an operator who cancels ends the process of the action within a second', async (context) => {
  const marker = join(directory, 'running');
  const server = await startServer(context, workflowOf([`echo $$ > ${marker}; exec sleep 600`]));
  startAgent(context, server.address);
  await eventually(() => existsSync(marker));
  const pid = Number(readFileSync(marker, 'utf8'));
  const startedMs = performance.now();
  await server.apply({ kind: 'cancel', who: 'ann', why: 'wrong disk' } as never);
  await eventually(() => !existsSync(`/proc/${pid}`));
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < 1000, `${tookMs} ms`);
  assert.equal((await server.status()).state, 'FAILED');
});

test('a restart of the server in the middle of an action interrupts nothing', async (context) => {
  const [begun, go] = [join(directory, 'begun'), join(directory, 'go')];
  const wait = `echo before; echo run >> ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done; echo after`;
  const server = await startServer(context, workflowOf([wait, 'echo last']));
  startAgent(context, server.address);
  await eventually(() => existsSync(begun));
  await server.restart();
  await eventually(() => server.counter('tink_server_agents_connected') === 1);
  writeFileSync(go, '');
  await eventually(async () => (await server.status()).state === 'POST');
  assert.deepEqual(
    (await server.status()).tasks?.[0]?.actions.map(({ attempt }) => attempt),
    [1, 1],
  );
  const output = await server.output();
  assert.deepEqual(
    output.filter((line) => /^(before|after|last)$/.test(line)),
    ['before', 'after', 'last'],
  );
});

test('of two agents with one id the older ends its action and stays away', async (context) => {
  const marker = join(directory, 'pids');
  const server = await startServer(context, workflowOf([`echo $$ >> ${marker}; exec sleep 600`]));
  const pids = () => (existsSync(marker) ? readFileSync(marker, 'utf8').trim().split('\n') : []);
  const first = startAgent(context, server.address);
  await eventually(() => pids().length === 1);
  const [older] = pids();
  startAgent(context, server.address);
  await eventually(() => pids().length === 2 && !existsSync(`/proc/${older}`));
  // Longer than the agent's back-off, which is 20 ms here.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal(first.exitCode, null, 'its init system would start it again');
  assert.equal(server.counter('tink_server_agent_sessions_started_total'), 2);
  assert.equal((await server.status()).tasks?.[0]?.actions[0]?.attempt, 2);
});
