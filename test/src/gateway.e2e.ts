/**
 * Tests the documented request flow: one address with TLS 1.3, a token for gRPC, files below /tink-stack,
 * forwards of TCP and UDP.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import {
  API,
  Job_State,
  ProvisionDeviceRequestSchema,
  type ProvisionDeviceResponse,
} from '@tinkerbell/api/provisioning';
import { createTokenSigner, newSigningKey } from '@tinkerbell/platform-jwt';
import { nodeClock } from '@tinkerbell/platform-node';
import { pause, SimulatedAgent } from './crash/simulated-agent.ts';
import { startServer } from './start-server.ts';

const DOMAIN = 'edge.example.org';
const ISSUER = 'https://keycloak.example.org/realms/master';
const OBJECTS = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const main = join(import.meta.dirname, '../../apps/server/src/main.mjs');

const freePort = async (): Promise<number> => {
  const server = createTcp().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

async function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-e2e-'));
  const key = await newSigningKey();
  const signer = await createTokenSigner({ key, issuer: ISSUER, clock: nodeClock });
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify(signer.publicKeys));
  const files = createServer((request, response) => {
    if (request.url === '/hook.ipxe') response.end('#!ipxe\n');
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(files, 'listening');
  const [https, grpc, tcp, udp, tftp] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const filesPort = (files.address() as AddressInfo).port;
  const elsewhere = await startServer({
    flags: ['--tftp-server-enabled=true', `--tftp-server-bind-port=${tftp}`, `--tftp-asset-dir=${folder}`],
  });
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
      `--gateway-files-upstream=127.0.0.1:${filesPort}`,
      `--gateway-forward=tcp:${tcp}=127.0.0.1:${filesPort}`,
      `--gateway-forward=udp:${udp}=127.0.0.1:${tftp}`,
    ],
  });
  const ca = readFileSync(join(server.dataDirectory, 'gateway/ca.pem'));
  return {
    server,
    signer,
    key,
    folder,
    ca,
    ports: { https, grpc, tcp, udp },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await elsewhere[Symbol.asyncDispose]();
      files.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function object({ server }: Scene, collection: string, body: object): Promise<void> {
  const response = await server.request(`${server.url}${OBJECTS}/${collection}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...body }),
  });
  assert.equal(response.status, 201, await response.text());
}

function provision({ ports, ca }: Scene, token: string): Promise<ProvisionDeviceResponse> {
  const method = serviceDefinition(API).provisionDevice;
  const name = `tinkerbell-server.${DOMAIN}`;
  const client = new Client(`127.0.0.1:${ports.https}`, credentials.createSsl(ca), {
    'grpc.ssl_target_name_override': name,
    'grpc.default_authority': name,
  });
  const metadata = new Metadata();
  if (token !== '') metadata.set('authorization', `Bearer ${token}`);
  return new Promise<ProvisionDeviceResponse>((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      (value: Parameters<typeof method.requestSerialize>[0]) => method.requestSerialize(value),
      (bytes: Buffer) => method.responseDeserialize(bytes),
      create(ProvisionDeviceRequestSchema, { deviceId: 'edge-node-001', osImage: 'ubuntu-22.04' }),
      metadata,
      { deadline: Date.now() + 20_000 },
      (error: ServiceError | null, value?: ProvisionDeviceResponse) => {
        if (error === null && value !== undefined) resolve(value);
        else reject(error ?? new Error('no answer'));
      },
    );
  }).finally(() => client.close());
}

async function get({ ports, ca }: Scene, path: string, host = `tinkerbell-nginx.${DOMAIN}`) {
  const request = httpsRequest({
    host: '127.0.0.1',
    port: ports.https,
    path,
    ca,
    servername: `tinkerbell-nginx.${DOMAIN}`,
    headers: { host },
    minVersion: 'TLSv1.3',
  });
  request.end();
  const [response] = await once(request, 'response');
  return { status: response.statusCode as number, text: Buffer.concat(await response.toArray()).toString() };
}

/** A token with the given header. Its signature is right for ES256. */
function forged(header: object, claims: object, jwk: Scene['key']): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(claims)}`;
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

test(
  'provisions a device through TLS, token and h2c, and an agent runs the workflow',
  { timeout: 110_000 },
  async () => {
    await using stage = await scene();
    const mac = '52:54:00:00:00:01';
    await object(stage, 'hardware', {
      kind: 'Hardware',
      metadata: { name: 'edge-node-001' },
      spec: { interfaces: [{ dhcp: { mac }, netboot: { allowPXE: true, allowWorkflow: true } }] },
    });
    const action =
      'tasks: [{name: t, worker: "{{ .device_1 }}", actions: [{name: a, image: "example.org/a:v1", timeout: 60}]}]';
    await object(stage, 'templates', {
      kind: 'Template',
      metadata: { name: 'ubuntu-22.04' },
      spec: { data: `version: "0.1"\nname: ubuntu\nglobal_timeout: 600\n${action}\n` },
    });
    const { signer, key } = stage;
    const claims = { aud: 'tink', sub: 'orchestrator' };
    const exp = Math.floor(Date.now() / 1000) + 60;
    const stranger = await createTokenSigner({ key, issuer: 'https://else', clock: nodeClock });
    for (const [name, token] of Object.entries({
      missing: '',
      invalid: `${(await signer.sign(claims, 60)).slice(0, -8)}AAAAAAAA`,
      expired: await signer.sign(claims, -120),
      issuer: await stranger.sign(claims, 60),
      audience: await signer.sign({ aud: 'other' }, 60),
      algorithm: forged({ alg: 'HS256', kid: key.kid }, { ...claims, iss: ISSUER, exp }, key),
      none: forged({ alg: 'none' }, { ...claims, iss: ISSUER, exp }, key),
    }))
      await assert.rejects(provision(stage, token), { code: 16 }, name);

    const answer = await provision(stage, await signer.sign(claims, 60));
    assert.equal(answer.status, Job_State.ACCEPTED);
    const agent = new SimulatedAgent({
      id: mac,
      server: `127.0.0.1:${stage.ports.grpc}`,
      journal: [],
      random: () => 1,
      sent: [],
    });
    const running = agent.run();
    const path = `${stage.server.url}${OBJECTS}/workflows/job-${answer.jobId.toLowerCase()}`;
    let state = '';
    while (state !== 'SUCCESS') {
      const workflow = (await (await stage.server.request(path)).json()) as {
        readonly status?: { readonly state?: string };
      };
      state = workflow.status?.state ?? '';
      assert.notEqual(state, 'FAILED');
      await pause(100);
    }
    agent.stop();
    await running;
  },
);

test('serves files below /tink-stack, forwards TCP, and TFTP over UDP', { timeout: 60_000 }, async () => {
  await using stage = await scene();
  assert.deepEqual(await get(stage, '/tink-stack/hook.ipxe'), { status: 200, text: '#!ipxe\n' });
  assert.equal((await get(stage, '/hook.ipxe')).status, 404);
  assert.equal((await get(stage, '/', 'else.example.org')).status, 404);
  assert.equal((await get(stage, '/', `tinkerbell-server.${DOMAIN}`)).status, 401);
  const plain = await fetch(`http://127.0.0.1:${stage.ports.tcp}/hook.ipxe`);
  assert.equal(await plain.text(), '#!ipxe\n');

  writeFileSync(join(stage.folder, 'hello.txt'), 'x'.repeat(1000));
  const client = createSocket('udp4');
  client.send('\0\u0001hello.txt\0octet\0', stage.ports.udp, '127.0.0.1');
  for (const length of [512, 488]) {
    const [bytes] = (await once(client, 'message')) as [Buffer];
    // DATA, block, and as many bytes.
    assert.deepEqual([bytes[1], bytes.length - 4], [3, length]);
    client.send(Buffer.from([0, 4, bytes[2] ?? 0, bytes[3] ?? 0]), stage.ports.udp, '127.0.0.1');
  }
  client.close();
});

test('reports what is wrong with a route file, and creates certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-check-'));
  const file = join(folder, 'routes.yaml');
  const run = (...words: readonly string[]) =>
    execFileSync(process.execPath, [main, ...words], { encoding: 'utf8', stdio: 'pipe' });
  writeFileSync(file, 'routes:\n  - name: x\n    upstrem: {}\n');
  assert.throws(
    () => run('gateway', 'check', file),
    /routes\.yaml:3:5: routes\[0\]\.upstrem is unknown; did you mean upstream\?/,
  );
  writeFileSync(file, 'routes: []\n');
  assert.match(run('gateway', 'check', file), /0 routes/);
  const made = run('cert', 'init', '--data-dir', folder);
  assert.equal(run('cert', 'show', '--data-dir', folder), made);
  assert.match(
    run('cert', 'issue', 'a.example.org', '192.0.2.1', '--data-dir', folder),
    /a\.example\.org\.pem\n/,
  );
  rmSync(folder, { recursive: true });
});
