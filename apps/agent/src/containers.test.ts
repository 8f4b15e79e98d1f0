/** The whole way of an action: assigned over gRPC, pulled from a real registry, run by crun, reported. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { StateType, type ActionResponse, type ActionStatusRequest } from '@tinkerbell/api/agent';
import {
  localRegistry,
  missingForContainers,
  type LocalRegistry,
} from '@tinkerbell/container-runtime/testing';
import { action, isFinal, startServer } from './testing/action-server.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const missing = missingForContainers();
const REAL = { timeout: 120_000, ...(missing === undefined ? {} : { skip: missing }) };
const base = mkdtempSync(join(tmpdir(), 'agent-containers-'));
const cleanups: (() => void)[] = [];
after(() => {
  for (const task of cleanups) task();
  rmSync(base, { recursive: true, force: true });
});
let registry: LocalRegistry;
before(async () => {
  if (missing !== undefined) return;
  registry = await localRegistry({ after: (task) => void cleanups.push(task) });
  const script = '#!/bin/sh\necho "the script got $1 and $VALUE"\necho "a warning" >&2\nexit ${CODE:-0}\n';
  registry.push({ name: 'team/alpine:v1', entrypoint: ['/script'], command: ['nothing'], files: { script } });
});
let runs = 0;

/** Runs the action, and returns its final report and what the agent printed. */
async function ran(
  context: TestContext,
  given: Partial<ActionResponse>,
  ...flags: string[]
): Promise<{ report: ActionStatusRequest; printed: string; spool: string }> {
  const server = await startServer(context, [
    action({ name: 'it', image: `${registry.host}/team/alpine:v1`, ...given }),
  ]);
  const spool = join(base, `spool-${(runs += 1)}`);
  const common = [
    '--id=agent-1',
    `--grpc-server=${server.address}`,
    `--spool-directory=${spool}`,
    '--backoff-max-interval=20ms',
  ];
  const agent = fork(MAIN, [...common, `--registry-plain-http=${registry.host}`, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  context.after(() => void agent.kill('SIGKILL'));
  let printed = '';
  agent.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const report = (await server.reportsUntil(isFinal)).find(isFinal);
  assert.ok(report);
  return { report, printed, spool };
}

/** The processes on this machine whose arguments contain the text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

async function untilRuns(text: string): Promise<void> {
  while (processesWith(text).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

const textOf = ({ message }: ActionStatusRequest): string => message?.message ?? '';

test('runs a private image, although its name is that of a built-in action', REAL, async (context) => {
  const { report, printed, spool } = await ran(context, { command: ['this'], environment: ['VALUE=a=b'] });
  assert.equal(report.actionState, StateType.SUCCESS, textOf(report));
  assert.equal(textOf(report), 'the container ended with 0');
  assert.match(printed, /the script got this and a=b/);
  assert.match(printed, /warning: a warning/);
  assert.deepEqual(readdirSync(join(spool, 'containers', 'running')), [], 'the image is removed');
});

test('reports the exit code of a container with its last output', REAL, async (context) => {
  const { report } = await ran(context, { environment: ['CODE=42'] });
  assert.equal(report.actionState, StateType.FAILED);
  assert.match(textOf(report), /^the container ended with 42\nthe script got nothing and\s+a warning$/);
});

test('ends a container at its timeout, with everything that it started', REAL, async (context) => {
  const files = {
    'script-that-stays': '#!/bin/sh\ntrap "" TERM\nsetsid sleep 87651 &\nsleep 87652\nsleep 87653\n',
  };
  registry.push({ name: 'stays:v1', entrypoint: ['/script-that-stays'], files });
  const { report } = await ran(context, { image: `${registry.host}/stays:v1`, timeout: 3n });
  assert.equal(report.actionState, StateType.TIMEOUT, textOf(report));
  assert.deepEqual(processesWith('8765'), []);
});

test('pulls from a registry with a login, whose name has no mirror that works', REAL, async (context) => {
  const login = { username: 'worker', password: 'p:a ss' };
  const closed = await localRegistry({ after: (task) => void cleanups.push(task) }, login);
  closed.push({ name: 'closed:v1', command: ['echo', 'opened'] });
  const image = { image: `${closed.host}/closed:v1` };
  const http = `--registry-plain-http=${closed.host}`;
  const denied = await ran(context, image, http);
  assert.match(
    textOf(denied.report),
    /closed:v1: status 401: UNAUTHORIZED .*; check the name of the image and the credentials/,
  );
  const named = [
    `--registry-name=${closed.host}`,
    '--registry-user=worker',
    `--registry-pass=${login.password}`,
  ];
  const mirror = `--registry-mirrors=${closed.host}=http://${registry.host}`;
  const { report, printed } = await ran(context, image, http, mirror, ...named);
  assert.equal(report.actionState, StateType.SUCCESS, textOf(report));
  assert.match(printed, /opened/);
  const wrong = await ran(context, image, http, ...named.slice(0, 2), '--registry-pass=other');
  assert.match(textOf(wrong.report), /status 401/);
});

test('a container ends when its agent is killed', REAL, async (context) => {
  const files = { 'script-that-stays': '#!/bin/sh\necho started\nsleep 86541\n' };
  registry.push({ name: 'orphan:v1', entrypoint: ['/script-that-stays'], files });
  const server = await startServer(context, [action({ name: 'it', image: `${registry.host}/orphan:v1` })]);
  const spool = join(base, 'orphan-spool');
  const common = ['--id=agent-1', `--grpc-server=${server.address}`, `--spool-directory=${spool}`];
  const agent = fork(MAIN, [...common, `--registry-plain-http=${registry.host}`], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  agent.stdout?.resume();
  await untilRuns('86541');
  agent.kill('SIGKILL');
  while (processesWith('86541').length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
});

test('waitdaemon starts a container with the volumes of its action', REAL, async (context) => {
  registry.push({ name: 'later:v1', entrypoint: ['touch'], command: ['/absent'] });
  const { report, spool } = await ran(context, {
    image: 'ghcr.io/jacobweinstock/waitdaemon:latest',
    environment: [`IMAGE=${registry.host}/later:v1`, 'WAIT_SECONDS=0'],
    command: ['/out/marker'],
    volumes: [`${join(base, 'out')}:/out`],
  });
  assert.equal(report.actionState, StateType.SUCCESS, textOf(report));
  while (!existsSync(join(base, 'out', 'marker'))) await new Promise((resolve) => setTimeout(resolve, 50));
  while (readdirSync(join(spool, 'containers', 'running')).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
});

test('a missing image, and a machine without a runtime, are explained', REAL, async (context) => {
  const absent = await ran(context, { image: `${registry.host}/team/absent:v1` });
  assert.match(
    textOf(absent.report),
    /registry 127.* cannot get the manifest of team\/absent:v1: status 404: MANIFEST_UNKNOWN/,
  );
  const without = await ran(context, {}, '--runtime=builtin');
  assert.match(
    textOf(without.report),
    /is not built in; .*this machine cannot run containers: install crun, or set --runtime/,
  );
});
