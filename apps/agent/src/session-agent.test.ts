/** The agent as a program against the real service: our own protocol, from the first action to a cancellation. */
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { eventually, startServer, workflowOf } from './testing/session-server.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'session-agent-test-'));
after(() => rmSync(directory, { recursive: true }));
let runs = 0;

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

test('runs a workflow in one session, and its output is in the journal, without secrets', async (context) => {
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

test('a cancellation by an operator ends the process of the action', async (context) => {
  const marker = join(directory, 'running');
  const server = await startServer(context, workflowOf([`echo $$ > ${marker}; exec sleep 600`]));
  startAgent(context, server.address);
  await eventually(() => existsSync(marker));
  const pid = Number(readFileSync(marker, 'utf8'));
  await server.apply({ kind: 'cancel', who: 'ann', why: 'wrong disk' } as never);
  await eventually(() => !existsSync(`/proc/${pid}`));
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

test('of two agents with one id, the older one stops its action and requests no more', async (context) => {
  const marker = join(directory, 'pids');
  const server = await startServer(context, workflowOf([`echo $$ >> ${marker}; exec sleep 600`]));
  const pids = () => (existsSync(marker) ? readFileSync(marker, 'utf8').trim().split('\n') : []);
  const first = startAgent(context, server.address);
  await eventually(() => pids().length === 1);
  const [older] = pids();
  startAgent(context, server.address);
  await eventually(() => pids().length === 2 && !existsSync(`/proc/${older}`));
  // Longer than the agent's backoff, which is 20 ms here.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal(first.exitCode, null, 'its init system would start it again');
  assert.equal(server.counter('tink_server_agent_sessions_started_total'), 2);
  assert.equal((await server.status()).tasks?.[0]?.actions[0]?.attempt, 2);
});
