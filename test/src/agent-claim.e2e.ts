/** Tests agents behind our gateway: the verified token states for which machine they may act. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { StateType, WorkflowService } from '@tinkerbell/api/agent';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { createTokenSigner, newSigningKey } from '@tinkerbell/platform-jwt';
import { nodeClock } from '@tinkerbell/platform-node';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { pause } from './crash/simulated-agent.ts';
import { startServer } from './start-server.ts';

const DOMAIN = 'edge.example.org';
const NAME = `tinkerbell-server.${DOMAIN}`;
const ISSUER = 'https://keycloak.example.org/realms/master';
const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const OWN = '02:00:5e:10:00:01';
const OTHER = '02:00:5e:10:00:02';
const CANARY = 'canary-77ae';
const METHODS = serviceDefinition(WorkflowService);

async function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'agent-claim-'));
  const signer = await createTokenSigner({ key: await newSigningKey(), issuer: ISSUER, clock: nodeClock });
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify(signer.publicKeys));
  const [https, grpc] = [await freePort(), await freePort()];
  const server = await startServer({
    flags: [
      `--tink-server-bind-port=${grpc}`,
      '--enable-gateway',
      '--api-anonymous=everyone',
      `--gateway-domain=${DOMAIN}`,
      `--gateway-https-port=${https}`,
      `--gateway-jwt-issuer=${ISSUER}`,
      '--gateway-jwt-audience=tink',
      `--gateway-jwt-jwks-file=${join(folder, 'jwks.json')}`,
      '--agent-claim=machine',
      '--trusted-proxies=127.0.0.1/32',
    ],
  });
  const ca = readFileSync(join(server.dataDirectory, 'gateway/ca.pem'));
  const gateway = new Client(`127.0.0.1:${https}`, credentials.createSsl(ca), {
    'grpc.ssl_target_name_override': NAME,
    'grpc.default_authority': NAME,
  });
  const direct = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
  return {
    server,
    direct,
    gateway,
    token: (claims: object) => signer.sign({ aud: 'tink', sub: 'edge-node', ...claims }, 60),
    async [Symbol.asyncDispose]() {
      gateway.close();
      direct.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function api({ server }: Scene, path: string, body?: object): Promise<unknown> {
  const response = await server.request(`${server.url}${OBJECTS}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined
      ? {}
      : { body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...body }) }),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json();
}

async function addWorkflow(stage: Scene): Promise<void> {
  await api(stage, 'hardware', {
    kind: 'Hardware',
    metadata: { name: 'm' },
    spec: { interfaces: [{ dhcp: { mac: OWN } }] },
  });
  const data = `version: "0.1"\nname: t\nglobal_timeout: 600\ntasks: [{name: t, worker: "{{ .worker }}", actions: [{name: a, image: "x/a:v1", timeout: 60, environment: {PASSWORD: ${CANARY}}}]}]\n`;
  await api(stage, 'templates', { kind: 'Template', metadata: { name: 't' }, spec: { data } });
  const spec = { templateRef: 't', hardwareRef: 'm', hardwareMap: { worker: OWN } };
  await api(stage, 'workflows', { kind: 'Workflow', metadata: { name: 'w' }, spec });
  while ((await stateOf(stage)) !== 'PENDING') await pause(20);
}

async function stateOf(stage: Scene): Promise<string | undefined> {
  return ((await api(stage, 'workflows/w')) as { status?: { state?: string } }).status?.state;
}

interface Sent {
  readonly request: object;
  readonly fields: Readonly<Record<string, string>>;
}

function call(
  client: Client,
  name: 'getAction' | 'reportActionStatus',
  { request, fields }: Sent,
): Promise<{ readonly code: number; readonly text: string; readonly value?: object }> {
  const method = METHODS[name];
  const metadata = new Metadata();
  for (const [field, value] of Object.entries(fields)) metadata.set(field, value);
  return new Promise((resolve) => {
    client.makeUnaryRequest<object, object>(
      method.path,
      (value) => method.requestSerialize(value),
      (bytes) => method.responseDeserialize(bytes),
      request,
      metadata,
      { deadline: Date.now() + 20_000 },
      (error: ServiceError | null, value?: object) =>
        resolve(
          error === null
            ? { code: status.OK, text: '', ...(value === undefined ? {} : { value }) }
            : { code: error.code, text: error.message },
        ),
    );
  });
}

test('the claim of the token is the machine that an agent acts for', { timeout: 100_000 }, async () => {
  await using stage = await scene();
  await addWorkflow(stage);
  const bearer = async (claims: object) => ({ authorization: `Bearer ${await stage.token(claims)}` });
  const forged = { 'x-tinkerbell-claim': OWN };
  const report = {
    workflowId: 'default/w',
    taskId: 'x',
    actionId: 'x',
    agentId: OWN,
    actionState: StateType.SUCCESS,
  };
  const refused: readonly (readonly [string, Client, Readonly<Record<string, string>>])[] = [
    ["another machine's token", stage.gateway, await bearer({ machine: OTHER })],
    ['a token without the claim', stage.gateway, await bearer({})],
    [
      "another machine's, and the header forged",
      stage.gateway,
      { ...(await bearer({ machine: OTHER })), ...forged },
    ],
    ['no claim, and the header forged', stage.gateway, { ...(await bearer({})), ...forged }],
    ['past the gateway', stage.direct, await bearer({ machine: OWN })],
  ];
  for (const [name, client, fields] of refused)
    for (const [method, request] of [
      ['getAction', { agentId: OWN }],
      ['reportActionStatus', report],
    ] as const) {
      const answer = await call(client, method, { request, fields });
      assert.equal(answer.code, status.PERMISSION_DENIED, `${name}, ${method}: ${answer.text}`);
      assert.match(answer.text, /claim: /);
      assert.ok(!answer.text.includes(CANARY));
    }
  assert.equal(
    (await call(stage.gateway, 'getAction', { request: { agentId: OWN }, fields: {} })).code,
    status.UNAUTHENTICATED,
  );
  assert.equal(await stateOf(stage), 'PENDING');

  const own = await bearer({ machine: OWN.toUpperCase().replaceAll(':', '-') });
  const given = await call(stage.gateway, 'getAction', { request: { agentId: OWN }, fields: own });
  assert.equal(given.code, status.OK, given.text);
  const { environment = [] } = given.value as { readonly environment?: readonly string[] };
  assert.deepEqual(environment, [`PASSWORD=${CANARY}`]);
});

test('a claim needs trusted proxies', async () => {
  await assert.rejects(
    startServer({ flags: ['--agent-claim=machine'] }),
    /--agent-claim needs --trusted-proxies .* such as 127\.0\.0\.1\/32 for our own gateway/,
  );
});
