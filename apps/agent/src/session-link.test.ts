/** The sessions of one agent after the server has lost them: it starts exactly one new session and never fences itself. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { NetworkTrial, NetworkTrialResult } from '@tinkerbell/platform-contract';
import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';

import { runningReport } from './report.ts';
import { SessionLink } from './session-link.ts';
import { readSettings } from './settings.ts';
import { eventually, startServer, workflowOf } from './testing/session-server.ts';
import { openChannel } from './workflow-client.ts';

const nothing = { ports: [], holders: new Map() };

async function linkTo(
  context: TestContext,
  address: string,
  tryNetwork: (trial: NetworkTrial) => Promise<NetworkTrialResult> = () => Promise.resolve(nothing),
): Promise<SessionLink> {
  const read = readSettings({
    arguments: ['--id', 'agent-1', '--grpc-server', address, '--backoff-max-interval=20ms'],
    environment: {},
    kernelCommandLine: '',
    firstMac: undefined,
  });
  assert.ok(read.ok);
  const { settings } = read;
  const channel = openChannel(settings);
  const link = new SessionLink({
    channel,
    settings,
    clock: nodeClock,
    random: nodeRandom,
    log: createNodeLog({ level: 'silent', format: 'json' }),
    attributes: undefined,
    agentVersion: 'test',
    bootId: 'boot',
    tryNetwork,
  });
  context.after(() => {
    link.close();
    channel.close();
  });
  await link.open();
  return link;
}

test('concurrent reports and the stream of orders start one session after a server restart', async (context) => {
  const server = await startServer(context, workflowOf(['true']));
  const link = await linkTo(context, server.address);
  const given = await link.next(new AbortController().signal);
  assert.ok(given.ok);
  const { action, attempt, cancelled } = given.value;
  const report = () => link.report(runningReport(action, nodeClock.nowMs(), 'running'), attempt);
  for (let restarts = 0; restarts < 5; restarts += 1) {
    await server.restart();
    await eventually(async () => {
      const results = await Promise.all([report(), report(), report()]);
      return results.every(({ ok }) => ok);
    });
    await eventually(() => server.counter('tink_server_agents_connected') === 1);
    assert.equal(server.counter('tink_server_agent_sessions_started_total'), 1);
    assert.equal(server.counter('tink_server_agent_sessions_fenced_total'), 0);
    assert.equal(cancelled.aborted, false);
  }
});

test('an agent tries what the server asks for while its action runs, and answers', async (context) => {
  const server = await startServer(context, workflowOf(['true']));
  const asked: NetworkTrial[] = [];
  const link = await linkTo(context, server.address, (trial) => {
    asked.push(trial);
    const ports = trial.ports.map((port) => ({ ...port, outcome: 'silent', reason: 'no route' }) as const);
    return Promise.resolve({ ports, holders: new Map([['192.0.2.5', { mac: '52:54:00:00:00:09' }]]) });
  });
  const given = await link.next(new AbortController().signal);
  assert.ok(given.ok);
  const trial: NetworkTrial = {
    host: '192.0.2.4',
    ports: [{ name: 'TFTP', asks: 'tftp', port: 69 }],
    addresses: ['192.0.2.5'],
  };
  await eventually(() => server.trials().isConnected('agent-1'));
  const result = await server.trials().run('agent-1', trial);
  assert.deepEqual(asked, [trial]);
  assert.deepEqual(result, {
    ports: [{ name: 'TFTP', asks: 'tftp', port: 69, outcome: 'silent', reason: 'no route' }],
    holders: new Map([['192.0.2.5', { mac: '52:54:00:00:00:09' }]]),
  });
  assert.equal(given.value.cancelled.aborted, false);
});
