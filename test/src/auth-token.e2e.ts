/**
 * Tests `GET /v1/auth/token`: an account gets a short-lived token, which the gateway, the API and the
 * Provisioning API accept.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import {
  API,
  Job_State,
  ProvisionDeviceRequestSchema,
  type ProvisionDeviceResponse,
} from '@tinkerbell/api/provisioning';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { startServer, type ServerChild } from './start-server.ts';

const DOMAIN = 'edge.example.org';
const ISSUER = 'https://tinkerbell.edge.example.org';
const home = mkdtempSync(join(tmpdir(), 'tinkerbell-auth-token-'));
const tinkMain = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
let server: ServerChild;
let gatewayPort = 0;

async function tink(...words: string[]): Promise<string> {
  const env = { HOME: home, PATH: process.env['PATH'], TINKERBELL_DATA_DIR: server.dataDirectory };
  const run = promisify(execFile)(process.execPath, [tinkMain, '--server', server.url, ...words], { env });
  return (await run).stdout.trim();
}

function asked(authorization?: string): Promise<Response> {
  const headers = authorization === undefined ? {} : { authorization };
  return fetch(`${server.url}/v1/auth/token`, { headers });
}

async function shortToken(account: string): Promise<string> {
  const response = await asked(`Bearer ${account}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const {
    access_token: token,
    token_type: type,
    expires_in: seconds,
  } = JSON.parse(text) as {
    access_token: string;
    token_type: string;
    expires_in: number;
  };
  assert.deepEqual([type, seconds], ['Bearer', 3600]);
  return token;
}

function claims(token: string): Readonly<Record<string, number>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>;
}

function provision(token: string): Promise<ProvisionDeviceResponse> {
  const method = serviceDefinition(API).provisionDevice;
  const name = `tinkerbell-server.${DOMAIN}`;
  const ca = readFileSync(join(server.dataDirectory, 'gateway/ca.pem'));
  const client = new Client(`127.0.0.1:${gatewayPort}`, credentials.createSsl(ca), {
    'grpc.ssl_target_name_override': name,
    'grpc.default_authority': name,
  });
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
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

before(async () => {
  const [grpc, http] = await Promise.all([freePort(), freePort()]);
  gatewayPort = await freePort();
  server = await startServer({
    flags: [
      `--http-port=${http}`,
      `--tink-server-bind-port=${grpc}`,
      `--service-account-issuer=${ISSUER}`,
      '--enable-gateway',
      `--gateway-domain=${DOMAIN}`,
      `--gateway-https-port=${gatewayPort}`,
      `--gateway-jwt-issuer=${ISSUER}`,
      `--gateway-jwt-audience=${ISSUER}`,
      `--gateway-jwt-jwks-url=http://127.0.0.1:${http}/openid/v1/jwks`,
    ],
  });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

test('an account orders an installation through the gateway with its token', async () => {
  const account = await tink('token', 'create', 'shop', '--role', 'provisioner');
  const manifests = `apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: edge-node-001}
spec: {interfaces: [{dhcp: {mac: "52:54:00:00:00:01"}, netboot: {allowPXE: true, allowWorkflow: true}}]}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Template
metadata: {name: ubuntu-22.04}
spec:
  data: |
    version: "0.1"
    name: ubuntu
    global_timeout: 600
    tasks: [{name: t, worker: "{{ .device_1 }}", actions: [{name: a, image: "example.org/a:v1", timeout: 60}]}]
`;
  for (const manifest of manifests.split('---\n')) {
    const plural = manifest.includes('Hardware') ? 'hardware' : 'templates';
    const response = await server.request(
      `${server.url}/apis/tinkerbell.org/v1alpha1/namespaces/default/${plural}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/yaml' },
        body: manifest,
      },
    );
    assert.equal(response.status, 201, await response.text());
  }
  const token = await shortToken(account);
  assert.equal((await provision(token)).status, Job_State.ACCEPTED);
  await assert.rejects(provision(`${token.slice(0, -8)}AAAAAAAA`), { code: 16 });
  const jobs = await fetch(`${server.url}/v1/jobs`, { headers: { authorization: `Bearer ${token}` } });
  assert.notEqual(jobs.status, 401);
});

test('a token that was obtained with a token expires no later than that one', async () => {
  const account = await tink('token', 'create', 'brief', '--role', 'view', '--duration', '10m');
  const response = await asked(`Bearer ${account}`);
  const { access_token: token } = (await response.json()) as { access_token: string };
  assert.ok((claims(token)['exp'] ?? 0) <= (claims(account)['exp'] ?? 0));
  const out = await tink('token', 'revoke', 'brief');
  assert.match(out, /its tokens are revoked/);
  assert.equal((await asked(`Bearer ${token}`)).status, 401);
});

test('a caller without an account is rejected, and the answer names the fix', async () => {
  const nobody = await asked();
  assert.equal(nobody.status, 401);
  assert.match(((await nobody.json()) as { message: string }).message, /tink token create/);
  assert.equal((await asked('Basic YTpi')).status, 401);
  const posted = await server.request(`${server.url}/v1/auth/token`, { method: 'POST' });
  assert.equal(posted.status, 405);
});

test('anybody may read the keys of tokens and the description of the API, and nothing else', async () => {
  await using closed = await startServer({
    flags: ['--api-anonymous=none', `--service-account-issuer=${ISSUER}`],
  });
  const keys = (await (await fetch(`${closed.url}/openid/v1/jwks`)).json()) as { keys: { d?: string }[] };
  assert.deepEqual([keys.keys.length, keys.keys[0]?.d], [1, undefined]);
  const described = await fetch(`${closed.url}/.well-known/openid-configuration`);
  assert.equal(((await described.json()) as { issuer: string }).issuer, ISSUER);
  assert.equal((await fetch(`${closed.url}/version`)).status, 200);
  for (const path of ['/api/v1/secrets', '/apis/tinkerbell.org/v1alpha1/hardware', '/audit', '/v1/jobs'])
    assert.equal((await fetch(`${closed.url}${path}`)).status, 401, path);
});
