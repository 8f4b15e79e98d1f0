/**
 * Tests a seed machine that moves to a database during a workflow: nothing is repeated, and nothing is lost.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Client, credentials } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import {
  ActionRequestSchema,
  ActionStatusRequestSchema,
  StateType,
  WorkflowService,
  type ActionResponse,
} from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { startPostgres } from '@tinkerbell/sandbox/postgres';
import { grpcAddressOf, newPlace, urlOf } from './crash/faulty-server.ts';
import { pause, unaryCall } from './crash/simulated-agent.ts';
import { startServer } from './start-server.ts';

const METHODS = serviceDefinition(WorkflowService);
const tinkMain = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
const ROOT = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const AGENT = '52:54:00:00:00:01';
const HARDWARE = 1_000;
const ANSWER_MS = 10_000;
const ASKED = 50;

const tink = async (...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [tinkMain, ...words])).stdout;

async function post(url: string, collection: string, object: object): Promise<void> {
  const response = await fetch(`${url}${ROOT}/${collection}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...object }),
  });
  assert.equal(response.status, 201, await response.text());
}

const templateText = `version: "0.1"
name: three
global_timeout: 0
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions:
      - {name: one, image: example.org/a}
      - {name: two, image: example.org/a}
      - {name: three, image: example.org/a}
`;

interface StoredObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string };
  readonly status?: { readonly state?: string };
}

async function list(url: string, collection: string): Promise<readonly StoredObject[]> {
  const { items } = (await (await fetch(`${url}${ROOT}/${collection}`)).json()) as {
    items: readonly StoredObject[];
  };
  return items;
}

async function fill(url: string): Promise<void> {
  for (let first = 0; first < HARDWARE; first += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        post(url, 'hardware', { kind: 'Hardware', metadata: { name: `m${first + index}` }, spec: {} }),
      ),
    );
  await post(url, 'templates', { kind: 'Template', metadata: { name: 't' }, spec: { data: templateText } });
  const spec = { templateRef: 't', hardwareMap: { device_1: AGENT } };
  await post(url, 'workflows', { kind: 'Workflow', metadata: { name: 'w' }, spec });
}

async function nextAction(client: Client): Promise<ActionResponse | undefined> {
  const request = create(ActionRequestSchema, { agentId: AGENT });
  for (let asked = 0; asked < ASKED; asked += 1) {
    const answer = await unaryCall(client, { method: METHODS.getAction, request, deadlineMs: ANSWER_MS });
    if (answer.ok) return answer.value;
    await pause(100);
  }
  return undefined;
}

/** Runs the next action from the server to its end, and returns its name. */
async function performNext(client: Client): Promise<string> {
  const action = await nextAction(client);
  if (action === undefined) throw new Error('the server assigned no action');
  const { workflowId, taskId, actionId, name: actionName } = action;
  for (const actionState of [StateType.RUNNING, StateType.SUCCESS]) {
    const request = create(ActionStatusRequestSchema, {
      workflowId,
      taskId,
      actionId,
      actionName,
      actionState,
      agentId: AGENT,
      message: { message: 'done' },
    });
    const call = { method: METHODS.reportActionStatus, request, deadlineMs: ANSWER_MS };
    assert.ok((await unaryCall(client, call)).ok);
  }
  return action.name;
}

/** Returns the states of all workflows, once the controller has ended what agents have finished. */
async function endStates(url: string): Promise<readonly (string | undefined)[]> {
  let states: readonly (string | undefined)[] = [];
  for (let asked = 0; asked < ASKED; asked += 1) {
    states = (await list(url, 'workflows')).map(({ status }) => status?.state);
    if (!states.includes('POST')) return states;
    await pause(100);
  }
  return states;
}

test('a workflow that waits between two actions continues after the move from a file to PostgreSQL', async () => {
  await using cleanup = new AsyncDisposableStack();
  const postgres = cleanup.use(await startPostgres());
  const postgresUrl = await postgres.database('site');
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-migrate-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const place = await newPlace(folder);
  const url = urlOf(place);
  const ports = [
    `--http-port=${place.httpPort}`,
    `--tink-server-bind-port=${place.grpcPort}`,
    '--api-anonymous=everyone',
  ];
  // The agent keeps its connection during the move, and finds the new server at the old address.
  const client = new Client(grpcAddressOf(place), credentials.createInsecure(), {
    'grpc.max_reconnect_backoff_ms': 200,
  });
  cleanup.defer(() => client.close());

  const before = await startServer({ dataDirectory: folder, flags: ports });
  await fill(url);
  assert.equal(await performNext(client), 'one');
  const hardware = await list(url, 'hardware');
  await assert.rejects(
    tink('migrate', '--from', `sqlite:${folder}`, '--to', postgresUrl),
    /a server is using/,
  );
  await before.kill();

  const words = ['migrate', '--from', `sqlite:${folder}`, '--to', postgresUrl, '--json'];
  const tried = JSON.parse(await tink(...words, '--dry-run')) as { objects: number };
  const report = JSON.parse(await tink(...words)) as { objects: number; records: number };
  assert.equal(report.objects, tried.objects);
  await assert.rejects(tink(...words), /is not empty/);

  const flags = [...ports, '--store', 'postgres', '--postgres-url', postgresUrl];
  await using _after = await startServer({ flags });
  assert.deepEqual([await performNext(client), await performNext(client)], ['two', 'three']);
  assert.deepEqual(await endStates(url), ['SUCCESS']);
  const identity = ({ metadata: { name, uid, creationTimestamp } }: StoredObject) => [
    name,
    uid,
    creationTimestamp,
  ];
  assert.deepEqual((await list(url, 'hardware')).map(identity), hardware.map(identity));
  const timeline = await (await fetch(`${url}${ROOT}/workflows/w/timeline`)).text();
  const events = timeline
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; message: string });
  const succeeded = events.filter(({ event }) => event === 'action-succeeded');
  assert.equal(succeeded.length, 3, timeline);
});
