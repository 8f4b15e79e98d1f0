/**
 * Tests who may act for a machine, against the real server. Each of five invalid sessions, at each of five
 * endpoints, is refused and learns nothing about the workflow, the user-data and the files of the machine.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { StateType, WorkflowService } from '@tinkerbell/api/agent';
import { AgentService, type OutputRequest, type OutputResponse } from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { decodeToken, encodeSessionToken, type TokenKey } from '@tinkerbell/agent-identity';
import { nodeHmac } from '@tinkerbell/platform-node';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { pause } from './crash/simulated-agent.ts';
import { startServer } from './start-server.ts';

const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const CANARY = 'canary-f3b1c9';
const HEADER = 'x-tinkerbell-session';
const CURRENT = serviceDefinition(WorkflowService);
const OURS = serviceDefinition(AgentService);

interface Machine {
  readonly name: string;
  readonly mac: string;
  readonly address: string;
}

const machineOf = (number: number): Machine => ({
  name: `m${number}`,
  mac: `02:00:5e:10:00:0${number}`,
  address: `192.0.2.1${number}`,
});
const [VICTIM, OTHER, FINISHED] = [machineOf(1), machineOf(2), machineOf(3)];

interface WorkflowObject {
  readonly status?: {
    readonly state?: string;
    readonly tasks?: readonly { readonly id: string; readonly actions: readonly { readonly id: string }[] }[];
  };
}

async function scene() {
  const images = mkdtempSync(join(tmpdir(), 'agent-identity-'));
  for (const { mac } of [VICTIM, OTHER, FINISHED]) {
    const folder = join(images, 'private', mac.replaceAll(':', '-'));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'key'), CANARY);
  }
  const grpc = await freePort();
  const server = await startServer({
    flags: [
      `--tink-server-bind-port=${grpc}`,
      '--agent-auth=required',
      '--metadata-auth=required',
      '--trusted-proxies=127.0.0.0/8',
      `--images-dir=${images}`,
      '--public-ipv4=127.0.0.1',
    ],
  });
  const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
  const api = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await server.request(`${server.url}${OBJECTS}/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined
        ? {}
        : { body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...body }) }),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.json();
  };
  await api('POST', 'templates', {
    kind: 'Template',
    metadata: { name: 't' },
    spec: {
      data: `version: "0.1"\nname: t\nglobal_timeout: 600\ntasks: [{name: t, worker: "{{ .worker }}", actions: [{name: a, image: "x/a:v1", timeout: 60, environment: {PASSWORD: ${CANARY}}}]}]\n`,
    },
  });
  return {
    server,
    client,
    api,
    async addWorkflow(name: string, { name: hardwareRef, mac }: Machine): Promise<void> {
      const spec = { templateRef: 't', hardwareRef, hardwareMap: { worker: mac } };
      await api('POST', 'workflows', { kind: 'Workflow', metadata: { name }, spec });
      for (;;) {
        const { status: found } = (await api('GET', `workflows/${name}`)) as WorkflowObject;
        if (found?.state === 'PENDING') return;
        await pause(20);
      }
    },
    addMachine: ({ name, mac, address }: Machine) =>
      api('POST', 'hardware', {
        kind: 'Hardware',
        metadata: { name },
        spec: {
          userData: CANARY,
          interfaces: [
            {
              dhcp: { mac, arch: 'x86_64', ip: { address, netmask: '255.255.255.0' } },
              netboot: { allowPXE: true, allowWorkflow: true },
            },
          ],
        },
      }),
    async [Symbol.asyncDispose]() {
      client.close();
      await server[Symbol.asyncDispose]();
      rmSync(images, { recursive: true });
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

interface Method {
  readonly path: string;
  requestSerialize(value: never): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

interface Answer {
  readonly code: number;
  /** All output so far. */
  readonly text: string;
}

function metadataWith(session: string | undefined): Metadata {
  const metadata = new Metadata();
  if (session !== undefined) metadata.set(HEADER, session);
  return metadata;
}

/** A request, and the session that it presents. */
interface Presented {
  readonly request: object;
  readonly session?: string | undefined;
}

function call({ client }: Scene, method: Method, { request, session }: Presented): Promise<Answer> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      method.path,
      (value: object) => method.requestSerialize(value as never),
      (bytes: Buffer) => method.responseDeserialize(bytes),
      request,
      metadataWith(session),
      { deadline: Date.now() + 10_000 },
      (error: ServiceError | null, value?: object) =>
        resolve(
          error === null
            ? { code: status.OK, text: shown(value ?? {}) }
            : { code: error.code, text: error.message },
        ),
    );
  });
}

function shown(value: object): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}` : one));
}

/** The machine that asks, and the session that it presents. */
interface Asking {
  readonly machine: Machine;
  readonly session?: string | undefined;
}

async function get({ server }: Scene, path: string, { machine, session }: Asking): Promise<Answer> {
  const { address } = machine;
  const headers = { 'x-forwarded-for': address, ...(session === undefined ? {} : { [HEADER]: session }) };
  const response = await fetch(`${server.url}${path}`, { headers });
  return { code: response.status, text: await response.text() };
}

/** Boots as the machine does: by its script, and the agent's exchange. */
async function boot(stage: Scene, machine: Machine): Promise<{ bootToken: string; session: string }> {
  const script = await get(stage, `/ipxe/script/${machine.mac}/auto.ipxe`, { machine });
  const bootToken = /tinkerbell_boot_token=([\w-]{58})\b/.exec(script.text)?.[1] ?? '';
  const answer = await call(stage, OURS.exchange, { request: { agentId: machine.mac, bootToken } });
  assert.equal(answer.code, status.OK, answer.text);
  return { bootToken, session: (JSON.parse(answer.text) as { session: string }).session };
}

/** Signs with the server's own key, which nobody else can have. */
function keyOf({ server }: Scene): TokenKey {
  using database = new DatabaseSync(join(server.dataDirectory, 'tinkerbell.db'), { readOnly: true });
  const row = database.prepare("select object from objects where name = 'tinkerbell-agent-identity'").get();
  const { data } = JSON.parse(String(row?.['object'])) as { data: { key: string } };
  const secret = Buffer.from(data.key, 'base64');
  return {
    sign: (bytes) => nodeHmac.hmacSha256(secret, bytes),
    isSame: (one, other) => nodeHmac.timingSafeEqual(one, other),
  };
}

function expired(stage: Scene, session: string): string {
  const key = keyOf(stage);
  const token = decodeToken(session, key);
  assert.ok(token?.purpose === 'session');
  return encodeSessionToken({ ...token, expiresSeconds: Math.floor(Date.now() / 1000) - 1 }, key);
}

/** One machine, its workflow, and its agent's stream, which somebody has overheard. */
interface Target {
  readonly machine: Machine;
  readonly workflow: string;
  readonly streamSession: string;
}

interface Reported {
  readonly state: StateType;
  readonly session?: string | undefined;
}

async function finalReport(stage: Scene, { machine, workflow }: Target, { state, session }: Reported) {
  const { status: found } = (await stage.api('GET', `workflows/${workflow}`)) as WorkflowObject;
  const [task] = found?.tasks ?? [];
  const request = {
    workflowId: `default/${workflow}`,
    taskId: task?.id ?? '',
    actionId: task?.actions[0]?.id ?? '',
    agentId: machine.mac,
    actionState: state,
    executionDuration: '1s',
  };
  return call(stage, CURRENT.reportActionStatus, { request, session });
}

function output({ client }: Scene, { streamSession, workflow }: Target, session?: string): Promise<Answer> {
  const method = OURS.output;
  return new Promise((resolve) => {
    const stream = client.makeBidiStreamRequest<OutputRequest, OutputResponse>(
      method.path,
      (value) => method.requestSerialize(value),
      (bytes) => method.responseDeserialize(bytes),
      metadataWith(session),
    );
    stream.on('error', ({ code, message }: ServiceError) => resolve({ code, text: message }));
    stream.on('data', (answer) => {
      resolve({ code: status.OK, text: shown(answer) });
      stream.end();
    });
    const attempt = { workflowId: `default/${workflow}`, actionId: 'any', number: 1 };
    const lines = [{ position: 1n, stream: 1, text: Buffer.from('forged line') }];
    stream.write({
      sessionId: streamSession,
      payload: { case: 'lines', value: { attempt, lines } },
    } as never);
  });
}

function getAction(stage: Scene, { machine }: Target, session?: string): Promise<Answer> {
  return call(stage, CURRENT.getAction, { request: { agentId: machine.mac }, session });
}

type Door = (stage: Scene, target: Target, session?: string) => Promise<Answer>;

const DOORS: Readonly<Record<string, Door>> = {
  GetAction: getAction,
  report: (stage, target, session) => finalReport(stage, target, { state: StateType.SUCCESS, session }),
  output,
  metadata: (stage, { machine }, session) => get(stage, '/latest/user-data', { machine, session }),
  'private file': (stage, { machine }, session) =>
    get(stage, `/images/private/${machine.mac.replaceAll(':', '-')}/key`, { machine, session }),
};

const NOBODY = [status.UNAUTHENTICATED, status.UNAUTHENTICATED, status.UNAUTHENTICATED, 401, 404];
const FOREIGN = [status.PERMISSION_DENIED, status.PERMISSION_DENIED, status.PERMISSION_DENIED, 403, 404];

async function streamSessionOf(stage: Scene, { mac }: Machine, session: string): Promise<string> {
  const hello = await call(stage, OURS.hello, { request: { agentId: mac }, session });
  return (JSON.parse(hello.text) as { sessionId: string }).sessionId;
}

/** A machine whose workflow has ended, and that has another one by now. */
async function finished(stage: Scene): Promise<{ target: Target; session: string }> {
  await stage.addWorkflow('before', FINISHED);
  const { session } = await boot(stage, FINISHED);
  const before = { machine: FINISHED, workflow: 'before', streamSession: '' };
  const given = await getAction(stage, before, session);
  assert.equal(given.code, status.OK, given.text);
  for (const state of [StateType.RUNNING, StateType.SUCCESS, StateType.SUCCESS])
    assert.equal((await finalReport(stage, before, { state, session })).code, status.OK, 'also the repeat');
  const streamSession = await streamSessionOf(stage, FINISHED, session);
  await stage.api('DELETE', 'workflows/before');
  await stage.addWorkflow('after', FINISHED);
  return { target: { machine: FINISHED, workflow: 'after', streamSession }, session };
}

test('25 cells: no endpoint accepts an invalid session', { timeout: 110_000 }, async (context) => {
  await using stage = await scene();
  for (const machine of [VICTIM, OTHER, FINISHED]) await stage.addMachine(machine);
  await stage.addWorkflow('victim', VICTIM);
  const older = await boot(stage, VICTIM);
  const { session } = await boot(stage, VICTIM);
  const again = await call(stage, OURS.exchange, {
    request: { agentId: VICTIM.mac, bootToken: older.bootToken },
  });
  assert.equal(again.code, status.UNAUTHENTICATED);
  assert.match(again.text, /replayed: /);
  const other = await boot(stage, OTHER);
  const ended = await finished(stage);
  const streamSession = await streamSessionOf(stage, VICTIM, session);
  const target = { machine: VICTIM, workflow: 'victim', streamSession };

  const rows: readonly (readonly [string, Target, string | undefined, readonly number[]])[] = [
    ['no token', target, undefined, NOBODY],
    ["another's token", target, other.session, FOREIGN],
    ['replayed', target, older.session, NOBODY],
    ['expired', target, expired(stage, session), NOBODY],
    ['after the end', ended.target, ended.session, NOBODY],
  ];
  let cells = 0;
  for (const [row, about, presented, expected] of rows)
    for (const [column, [door, ask]] of Object.entries(DOORS).entries())
      await context.test(`${row}, ${door}`, async () => {
        const answer = await ask(stage, about, presented);
        assert.equal(answer.code, expected[column], answer.text);
        assert.ok(!answer.text.includes(CANARY), answer.text);
        assert.ok(!answer.text.includes('PASSWORD'), answer.text);
        cells += 1;
      });
  assert.equal(cells, 25);

  for (const name of ['victim', 'after']) {
    const { status: found } = (await stage.api('GET', `workflows/${name}`)) as WorkflowObject;
    assert.equal(found?.state, 'PENDING', 'nothing was accepted or reported');
  }
  const metrics = await (await fetch(`${stage.server.url}/metrics`)).text();
  for (const reason of ['no-token', 'another-machine', 'fenced', 'expired', 'ended', 'replayed'])
    assert.match(metrics, new RegExp(`tink_server_agents_refused_total\\{reason="${reason}"\\} [1-9]`));

  // GetAction is last, because a stream treats it as another agent.
  for (const [door, ask] of Object.entries(DOORS).toReversed()) {
    if (door === 'report') continue;
    const answer = await ask(stage, target, session);
    assert.ok([status.OK, 200].includes(answer.code), `${door}: ${answer.text}`);
    assert.equal(
      answer.text.includes(CANARY),
      door !== 'output',
      `${door}: the canary is where it is to be found`,
    );
  }
});

test('only the machine itself gets a boot token', { timeout: 60_000 }, async () => {
  await using stage = await scene();
  await stage.addMachine(VICTIM);
  await stage.addMachine(OTHER);
  const path = `/ipxe/script/${VICTIM.mac}/auto.ipxe`;
  assert.match((await get(stage, path, { machine: VICTIM })).text, /tinkerbell_boot_token=[\w-]{58}\b/);
  for (const thief of [OTHER, { ...OTHER, address: '192.0.2.99' }])
    assert.match((await get(stage, path, { machine: thief })).text, /tinkerbell_boot_token= /);
});
