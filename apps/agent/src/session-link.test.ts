/** The sessions of one agent after the server has lost them: it starts exactly one new session and never fences itself. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { createNodeLog, nodeClock, nodeRandom } from '@tinkerbell/platform-node';

import { runningReport } from './report.ts';
import { SessionLink } from './session-link.ts';
import { readSettings } from './settings.ts';
import { eventually, startServer, workflowOf } from './testing/session-server.ts';
import { openChannel } from './workflow-client.ts';

async function linkTo(context: TestContext, address: string): Promise<SessionLink> {
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
