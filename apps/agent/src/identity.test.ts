/** The agent as a program against a service that requires sessions. */
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

import { status } from '@grpc/grpc-js';

import { isIdentityRefusal } from './identity.ts';
import { eventually, startServer, workflowOf } from './testing/session-server.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'identity-test-'));
after(() => rmSync(directory, { recursive: true }));

interface Agent {
  readonly child: ChildProcess;
  said(): string;
  kill(): Promise<void>;
}

function startAgent(context: TestContext, address: string, at: { spool: string; bootToken?: string }): Agent {
  const options = ['--id', 'agent-1', '--grpc-server', address, '--backoff-max-interval=20ms'];
  const child = fork(MAIN, [...options, '--spool-directory', join(directory, at.spool)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, TINKERBELL_BOOT_TOKEN: at.bootToken ?? '' },
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  context.after(kill);
  return { child, said: () => text, kill };
}

test('exchanges its boot token, reuses the session after a restart, and hides it from programs', async (context) => {
  const [begun, go, seen] = ['begun', 'go', 'seen'].map((name) => join(directory, name));
  const wait = `echo run >> ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done`;
  const server = await startServer(context, workflowOf([wait, `env > ${seen}`]), 'required');
  const place = { spool: 'spool', bootToken: server.mint() };
  const first = startAgent(context, server.address, place);
  await eventually(() => existsSync(begun ?? ''));
  const kept = join(directory, 'spool/session.json');
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  const { session, origins } = JSON.parse(readFileSync(kept, 'utf8')) as {
    session: string;
    origins: string[];
  };
  assert.deepEqual(origins, ['http://192.0.2.1:7171']);
  await first.kill();
  const second = startAgent(context, server.address, place);
  writeFileSync(go ?? '', '');
  await eventually(async () => (await server.status()).state === 'POST');
  const environment = readFileSync(seen ?? '', 'utf8');
  assert.doesNotMatch(environment, /TINKERBELL_SESSION/);
  assert.ok(!environment.includes(session) && !second.said().includes(session));
  assert.equal(server.counter('tink_server_agents_refused_total{reason="replayed"}'), 0);
  assert.equal(existsSync(kept), true);
});

test('logs a rejection once, and retries', async (context) => {
  const server = await startServer(context, workflowOf(['true']), 'required');
  const bootToken = server.mint();
  const thief = startAgent(context, server.address, { spool: 'thief', bootToken });
  await eventually(async () => (await server.status()).state === 'POST');
  await thief.kill();
  const agent = startAgent(context, server.address, { spool: 'other', bootToken });
  const refused = () => server.counter('tink_server_agents_refused_total{reason="no-token"}');
  await eventually(() => refused() > 5);
  assert.equal(agent.child.exitCode, null);
  assert.equal(agent.said().split('replayed: ').length - 1, 1, agent.said());
  assert.match(agent.said(), /the server rejected this agent.*no-token: /);
});

test('continues without an expired session if the server allows it', async (context) => {
  const server = await startServer(context, workflowOf(['true']), 'optional');
  const agent = startAgent(context, server.address, { spool: 'ended', bootToken: server.mint() });
  await eventually(async () => (await server.status()).state === 'POST');
  await eventually(() => /ended: the workflow/.test(agent.said()) && /no action to run/.test(agent.said()));
  const sessions = server.counter('tink_server_agent_sessions_started_total');
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(server.counter('tink_server_agent_sessions_started_total'), sessions, 'it stays');
});

test('recognises only identity errors of our server', () => {
  const [code, details] = [
    status.PERMISSION_DENIED,
    'another-machine: the session belongs to another machine',
  ];
  assert.ok(isIdentityRefusal({ code, details }));
  assert.ok(!isIdentityRefusal({ code, details: 'the session is that of agent a' }));
  assert.ok(!isIdentityRefusal({ code: status.UNAUTHENTICATED, details: 'unknown session; send Hello' }));
  assert.ok(
    !isIdentityRefusal({ code: status.ABORTED, details: 'fenced: a newer session of agent a has begun' }),
  );
});
