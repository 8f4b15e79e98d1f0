/** Tests the output of actions, from an agent's stream to the journal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateType, WorkflowService } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { MetricSet } from '@tinkerbell/platform-metrics';
import type { JournalEntry } from '@tinkerbell/store-contract';
import { createWorkflowsMetrics } from '../metrics.ts';
import { answerOf, eventually, runningServer } from '../testing/running-server.ts';
import { attemptIn, lines, sessionAgent } from '../testing/session-agent.ts';
import { pendingWorkflow } from '../testing/workflows.ts';
import { ActionOutput, type OutputStream } from './action-output.ts';

const agentId = '52:54:00:00:00:01';
const secretWorkflow = pendingWorkflow([
  { worker: agentId, actions: ['one', 'two'], environment: { ROOT_PASSWORD: 'hunter22', API_KEY: 'short' } },
]);

test('lines become records without secrets, once each even when the stream breaks', async () => {
  await using server = await runningServer();
  await server.putWorkflow(secretWorkflow);
  const agent = await sessionAgent(server, agentId);
  const attempt = attemptIn(await agent.actions().start());
  await agent.report(attempt, 'RUNNING');
  const first = agent.output();
  first.send({ case: 'lines', value: { attempt, lines: lines(1, 'one', 'password is hunter22') } });
  assert.equal((await eventually(() => first.answers[0])).position, 2n);
  first.end();
  const second = agent.output();
  second.send({
    case: 'lines',
    value: { attempt, lines: lines(2, 'password is hunter22', 'a\tshort \u001b[1mb') },
  });
  assert.equal((await eventually(() => second.answers[0])).position, 3n);
  const records = await server.records('action-output');
  assert.deepEqual(
    records.map((record) => record.message),
    ['one', 'password is ***', 'a\tshort \u001b[1mb'],
  );
  assert.deepEqual(records[1]?.details, {
    task: 'task-1',
    action: 'one',
    attempt: 1,
    stream: 'stdout',
    position: 2,
  });
  assert.equal(records[1].workflow, 'default/w');
  assert.equal(server.counter('tink_server_output_lines_total{outcome="stored"}'), 3);
});

test('attempts that no agent received have no output, and no limit of their own', async () => {
  await using server = await runningServer();
  await server.putWorkflow(secretWorkflow);
  const agent = await sessionAgent(server, agentId);
  const attempt = attemptIn(await agent.actions().start());
  const output = agent.output();
  for (const number of [2, 3, 4_000_000_000])
    output.send({ case: 'lines', value: { attempt: { ...attempt, number }, lines: lines(1, 'made up') } });
  await eventually(() => output.answers[2]);
  assert.deepEqual(await server.records('action-output'), []);
});

test('lines of an action that the agent does not have are acknowledged and dropped', async () => {
  await using server = await runningServer();
  await server.putWorkflow(secretWorkflow);
  const agent = await sessionAgent(server, 'another agent');
  const output = agent.output();
  const attempt = { workflowId: 'default/w', actionId: 'w-2', number: 1 };
  output.send({ case: 'lines', value: { attempt, lines: lines(1, 'not mine') } });
  assert.equal((await eventually(() => output.answers[0])).position, 1n);
  assert.deepEqual(await server.records('action-output'), []);
});

test('secrets are removed from report messages in every protocol', async () => {
  await using server = await runningServer();
  await server.putWorkflow(secretWorkflow);
  const client = server.client(serviceDefinition(WorkflowService));
  await answerOf(client, 'getAction', { agentId });
  const report = { workflowId: 'default/w', taskId: 'w-1', actionId: 'w-2', agentId };
  await answerOf(client, 'reportActionStatus', { ...report, actionState: StateType.RUNNING });
  const message = { message: 'login with hunter22 failed' };
  await answerOf(client, 'reportActionStatus', { ...report, actionState: StateType.FAILED, message });
  const status = await server.status();
  assert.equal(status?.tasks?.[0]?.actions[0]?.message, 'login with *** failed');
  assert.ok(!JSON.stringify(await server.records()).includes('hunter22'));
});

function kept() {
  const entries: JournalEntry[] = [];
  const journal = { append: (entry: JournalEntry) => void entries.push(entry) };
  const source = { workflow: 'default/w', task: 't', action: 'a', attempt: 1, secrets: [] };
  const output = new ActionOutput('key', source, {
    journal: journal as never,
    metrics: createWorkflowsMetrics(new MetricSet()),
  });
  let position = 0;
  const take = (text: string, stream: OutputStream = 'stdout') =>
    output.take({ position: (position += 1), stream, text });
  return { entries, output, take, last: () => entries.slice(-2).map(({ message }) => message) };
}

test('keeps 10,000 lines, and reports the number of further lines and the last progress', () => {
  const { entries, output, take, last } = kept();
  for (let index = 0; index < 10_050; index++) take('1234');
  take('50 %', 'progress');
  take('100 %', 'progress');
  assert.equal(entries.length, 10_000);
  output.finish();
  assert.deepEqual(last(), ['52 lines (209 bytes) more were dropped', '100 %']);
  output.finish();
  assert.equal(entries.length, 10_002);
});

test('keeps 4 MiB, and 4 KiB of a line without splitting a character', () => {
  const { entries, output, take } = kept();
  take('\u00e4'.repeat(3000));
  assert.equal(entries[0]?.message.length, 2048);
  take(`x${'\u00e4'.repeat(3000)}`);
  assert.equal(Buffer.byteLength(entries[1]?.message ?? ''), 4095);
  for (let index = 0; index < 1100; index++) take('x'.repeat(5000));
  assert.equal(entries.length, 1024);
  output.finish();
  assert.match(entries.at(-1)?.message ?? '', /^78 lines/);
});
