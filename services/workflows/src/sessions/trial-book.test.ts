/** Tests orders to try something, and what agents answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import {
  AgentService,
  ServerPort_Asks as Asks,
  TriedPort_Outcome as Outcome,
  type Trial,
} from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import type { NetworkTrial } from '@tinkerbell/platform-contract';
import { answerOf, eventually, hasCode, runningServer } from '../testing/running-server.ts';
import { sessionAgent } from '../testing/session-agent.ts';

const agentId = '52:54:00:00:00:01';
const trial: NetworkTrial = {
  host: '192.0.2.4',
  ports: [
    { name: 'HTTP', asks: 'tcp', port: 7080 },
    { name: 'TFTP', asks: 'tftp', port: 69 },
    { name: 'DHCP', asks: 'dhcp', port: 67 },
  ],
  addresses: ['192.0.2.5', '192.0.2.6'],
};

async function listeningAgent(server: Awaited<ReturnType<typeof runningServer>>) {
  const agent = await sessionAgent(server, agentId);
  const actions = agent.actions();
  await eventually(() => (server.service.trials.isConnected(agentId) ? true : undefined));
  const client = server.client(serviceDefinition(AgentService));
  return {
    actions,
    async order(): Promise<Trial> {
      return eventually(() => {
        const found = actions.orders.find(({ case: kind }) => kind === 'trial');
        return found?.case === 'trial' ? found.value : undefined;
      });
    },
    answer: (fields: object) => answerOf(client, 'tried', { sessionId: agent.sessionId, ...fields }),
  };
}

test('an agent is asked on its stream, and only what was asked for counts of its answer', async () => {
  await using server = await runningServer();
  const { trials } = server.service;
  assert.deepEqual([...trials.connected()], []);
  assert.equal(await trials.run(agentId, trial), undefined, 'no agent is connected');
  const agent = await listeningAgent(server);
  assert.deepEqual([...trials.connected()], [agentId]);
  const running = trials.run(agentId, trial);
  const order = await agent.order();
  assert.deepEqual(
    order.ports.map(({ name, asks, port }) => [name, asks, port]),
    [
      ['HTTP', Asks.TCP, 7080],
      ['TFTP', Asks.TFTP, 69],
      ['DHCP', Asks.DHCP, 67],
    ],
  );
  assert.deepEqual([order.host, order.addresses], ['192.0.2.4', ['192.0.2.5', '192.0.2.6']]);
  await agent.answer({
    id: order.id,
    ports: [
      { name: 'TFTP', outcome: Outcome.SILENT, reason: 'x'.repeat(5_000) },
      { name: 'HTTP', outcome: Outcome.ANSWERED },
      { name: 'SSH', outcome: Outcome.ANSWERED },
    ],
    holders: [
      { address: '192.0.2.6', mac: '52:54:00:00:00:09' },
      { address: '192.0.2.5', mac: 'no MAC' },
      { address: '192.0.2.99', mac: '52:54:00:00:00:09' },
    ],
  });
  const { ports, holders } = (await running) ?? assert.fail('no answer');
  const [http, tftp, dhcp] = trial.ports;
  assert.deepEqual(ports, [
    { ...http, outcome: 'answered' },
    { ...tftp, outcome: 'silent', reason: 'x'.repeat(200) },
    { ...dhcp, outcome: 'untried', reason: 'its agent has not tried it' },
  ]);
  assert.deepEqual(
    [...holders],
    [
      ['192.0.2.5', {}],
      ['192.0.2.6', { mac: '52:54:00:00:00:09' }],
    ],
  );
  const late = agent.answer({ id: order.id });
  await assert.rejects(late, hasCode(status.NOT_FOUND, /does not wait for this answer/));
});

test('another agent cannot answer, and an agent that has gone is not connected', async () => {
  await using server = await runningServer();
  const { trials } = server.service;
  const agent = await listeningAgent(server);
  const running = trials.run(agentId, trial);
  const { id } = await agent.order();
  const other = await sessionAgent(server, '52:54:00:00:00:02');
  const client = server.client(serviceDefinition(AgentService));
  await assert.rejects(
    answerOf(client, 'tried', { sessionId: other.sessionId, id }),
    hasCode(status.NOT_FOUND, /does not wait/),
  );
  await agent.answer({ id });
  assert.equal((await running)?.ports.length, 3);
  agent.actions.cancel();
  await eventually(() => (trials.isConnected(agentId) ? undefined : true));
  assert.deepEqual([...trials.connected()], []);
});
