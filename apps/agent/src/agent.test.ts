import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { StateType, type ActionStatusRequest } from '@tinkerbell/api/agent';
import { action, isFinal, startServer, stateName } from './testing/action-server.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'agent-test-'));
after(() => rmSync(directory, { recursive: true }));
let runs = 0;

test('runs actions in order and reports RUNNING, then SUCCESS', async (context) => {
  const server = await startServer(context, [
    action({ name: 'first', image: 'docker.io/library/busybox:1.36', command: ['true'] }),
    action({
      name: 'second',
      image: 'busybox',
      command: ['sh', '-c', 'test "$A" = "b=c"'],
      environment: ['A=b=c'],
    }),
  ]);
  startAgent(context, server.address);
  const reports = await server.reportsUntil((report) => isFinal(report) && report.actionName === 'second');
  assert.deepEqual(
    reports.map((report) => `${report.actionName} ${stateName(report)}`),
    ['first RUNNING', 'first SUCCESS', 'second RUNNING', 'second SUCCESS'],
  );
  const [running, success] = reports;
  assert.equal(running?.message?.message, 'running action');
  assert.equal(running?.executionStop?.seconds, -62_135_596_800n);
  assert.equal(success?.message?.message, 'command exited with 0');
  assert.match(success?.executionDuration ?? '', /^(\d+ms|\d+s(\d+ms)?)$/);
  assert.equal(success?.agentId, 'agent-1');
  assert.equal(success?.workflowId, 'default/flow');
});

test('sends the hardware attributes with each request', async (context) => {
  const server = await startServer(context, []);
  startAgent(context, server.address);
  const question = await server.nextQuestion();
  assert.equal(question.agentId, 'agent-1');
  assert.ok((question.agentAttributes?.cpu?.totalThreads ?? 0) >= 1);
  assert.match(question.agentAttributes?.memory?.usable ?? '', /^\d+[KMGT]B$/);
});

test('reports why an action failed', async (context) => {
  const server = await startServer(context, [
    action({ name: 'fails', image: 'busybox', command: ['sh', '-c', 'echo disk on fire >&2; exit 7'] }),
  ]);
  startAgent(context, server.address);
  const report = (await server.reportsUntil(isFinal)).at(-1);
  assert.equal(report?.actionState, StateType.FAILED);
  assert.match(report?.message?.message ?? '', /ended with 7: disk on fire/);
});

test('lists the built-in images if the image is unknown', async (context) => {
  const server = await startServer(context, [action({ name: 'x', image: 'quay.io/nobody/unknown:v1' })]);
  startAgent(context, server.address);
  const report = (await server.reportsUntil(isFinal)).at(-1);
  assert.equal(report?.actionState, StateType.FAILED);
  assert.match(
    report?.message?.message ?? '',
    /unknown:v1 is not built in; built-in images are image2disk, writefile/,
  );
});

test('reports TIMEOUT and kills the processes of the action', async (context) => {
  const server = await startServer(context, [
    action({ name: 'slow', image: 'busybox', command: ['sleep', '3600'], timeout: 1n }),
  ]);
  startAgent(context, server.address);
  const report = (await server.reportsUntil(isFinal)).at(-1);
  assert.equal(report?.actionState, StateType.TIMEOUT);
  assert.match(report?.message?.message ?? '', /timeout of 1 s/);
});

test(
  'an action that ignores its timeout, and what it leaves behind, block nothing',
  { timeout: 60_000 },
  async (context) => {
    const stubborn = ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'];
    const leaving = ['sh', '-c', 'setsid sleep 600 & echo left $! >&2; exit 7'];
    const server = await startServer(context, [
      action({ name: 'stubborn', image: 'busybox', command: stubborn, timeout: 1n }),
      action({ name: 'leaving', image: 'busybox', command: leaving }),
    ]);
    startAgent(context, server.address);
    const isLast = (report: ActionStatusRequest) => isFinal(report) && report.actionName === 'leaving';
    const finals = (await server.reportsUntil(isLast)).filter(isFinal);
    assert.deepEqual(finals.map(stateName), ['TIMEOUT', 'FAILED']);
    const left = /left (\d+)/.exec(finals[1]?.message?.message ?? '')?.[1];
    context.after(() => process.kill(Number(left), 'SIGKILL'));
  },
);

test('repeats the same report until the server accepts it', async (context) => {
  let refusals = 3;
  const server = await startServer(
    context,
    [action({ name: 'once', image: 'busybox', command: ['true'] })],
    (report) => {
      if (!isFinal(report) || refusals === 0) return true;
      refusals -= 1;
      return false;
    },
  );
  startAgent(context, server.address);
  const reports = await server.reportsUntil((report) => isFinal(report) && refusals === 0);
  const finals = reports.filter(isFinal);
  assert.ok(finals.length >= 3);
  for (const final of finals) assert.deepEqual(final, finals[0]);
});

test('does not run an action again whose report was not acknowledged before a crash', async (context) => {
  const marker = join(directory, 'marker');
  const server = await startServer(
    context,
    [
      action({
        name: 'once',
        image: 'busybox',
        command: ['sh', '-c', `test ! -e ${marker} && touch ${marker}`],
      }),
    ],
    (report) => !isFinal(report) || restarted,
  );
  let restarted = false;
  const spool = join(directory, 'crash-spool');
  const first = startAgent(context, server.address, spool);
  const before = await server.reportsUntil(isFinal);
  await kill(first);
  restarted = true;
  startAgent(context, server.address, spool);
  const report = (await server.reportsUntil((one) => isFinal(one) && server.accepted.length === 2)).at(-1);
  assert.equal(report?.actionState, StateType.SUCCESS);
  assert.deepEqual(report, before.at(-1), 'the very same report');
  assert.ok(existsSync(marker));
});

test(
  'runs an action again that was interrupted before it ended, and ends what that ran',
  { timeout: 60_000 },
  async (context) => {
    const marker = join(directory, 'interrupted');
    const command = ['sh', '-c', `test -e ${marker} || { echo $$ > ${marker}; echo waiting; sleep 3600; }`];
    const server = await startServer(context, [action({ name: 'again', image: 'busybox', command })]);
    const spool = join(directory, 'interrupted-spool');
    const first = startAgent(context, server.address, spool);
    await outputOf(first, 'waiting');
    await kill(first);
    server.serveAgain();
    startAgent(context, server.address, spool);
    const report = (await server.reportsUntil(isFinal)).at(-1);
    assert.equal(report?.actionState, StateType.SUCCESS);
    // Two actions at once would write to the same disk.
    const interrupted = Number(readFileSync(marker, 'utf8'));
    while (isAlive(interrupted)) await new Promise((resolve) => setTimeout(resolve, 20));
  },
);

test('accepts waitdaemon first and starts its image afterwards', async (context) => {
  const marker = join(directory, 'waited');
  const image = 'ghcr.io/jacobweinstock/waitdaemon:latest';
  const server = await startServer(context, [
    action({
      name: 'later',
      image,
      command: ['touch', marker],
      environment: ['IMAGE=alpine', 'WAIT_SECONDS=0'],
    }),
    action({ name: 'after', image: 'busybox', command: ['test', '-e', marker] }),
  ]);
  startAgent(context, server.address);
  const reports = await server.reportsUntil((report) => isFinal(report) && report.actionName === 'after');
  assert.deepEqual(
    reports.filter(isFinal).map((report) => stateName(report)),
    ['SUCCESS', 'SUCCESS'],
  );
});

test('reports a reboot as success and does not restart this machine without --allow-reboot', async (context) => {
  const server = await startServer(context, [
    action({ name: 'reboot', image: 'quay.io/tinkerbell/actions/reboot:latest' }),
    action({ name: 'after', image: 'busybox', command: ['true'] }),
  ]);
  const agent = startAgent(context, server.address);
  const left = outputOf(agent, 'the machine was not changed');
  const reports = await server.reportsUntil((report) => isFinal(report) && report.actionName === 'after');
  assert.equal(reports.find(isFinal)?.actionState, StateType.SUCCESS);
  await left;
});

/** Also false for a process that has ended but whose parent has not read its status yet. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function startAgent(context: TestContext, address: string, spool?: string): ChildProcess {
  runs += 1;
  const child = fork(
    MAIN,
    [
      '--id',
      'agent-1',
      '--grpc-server',
      address,
      '--backoff-max-interval=20ms',
      '--runtime=builtin',
      '--spool-directory',
      spool ?? join(directory, `spool-${runs}`),
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: ['--disable-warning=ExperimentalWarning'] },
  );
  child.stdout?.resume();
  context.after(() => kill(child));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

function outputOf(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(text)) resolve();
    });
  });
}
