/**
 * Puts a unique secret into every field that holds one, then searches for all of them in everything that the
 * server and its tools send to anyone but the owner.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { StateType } from '@tinkerbell/api/agent';
import { createWorkflowClient, readSettings } from '@tinkerbell/app-agent';
import { inspect } from 'node:util';
import { startCollector } from '@tinkerbell/platform-telemetry/testing/otlp-collector';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { localAuthorization } from '@tinkerbell/sandbox/local-authorization';
import { bootedMachine } from './canary/booted-machine.ts';
import { startServer, type ServerChild } from './start-server.ts';

const MAC = '52:54:00:00:00:01';
/** The secrets of a machine that boots, and whose agent has a session. */
const BOOTED_MAC = '52:54:00:00:00:02';
const API = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-canary-'));
const apps = join(import.meta.dirname, '../../apps');
const serverMain = join(apps, 'server/src/main.mjs');
const SEALING_KEY = Buffer.from('canary-sealing-key-of-32-bytes!!').toString('base64');

/** The secrets by field. The last ones have characters that must be escaped in URLs. */
const canaries: Record<string, string> = {
  secretData: 'canary-secret-data-4711',
  secretStringData: 'canary-string-data-4712',
  machinePassword: 'canary-bmc-password-4713',
  templateEnvironment: 'canary-template-env-4714',
  userData: 'canary-user-data-4715',
  vendorData: 'canary-vendor-data-4716',
  imagePassword: 'canary-image-password-4717',
  basicPassword: 'canary-basic-4718',
  sealingKey: SEALING_KEY,
  databasePassword: 'canary/database@4719',
};

after(() => rmSync(folder, { recursive: true }));

async function post(server: ServerChild, path: string, body: object): Promise<void> {
  const response = await server.request(server.url + path, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(response.status, 201, await response.text());
}

function told(file: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '', ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [...file], { env, timeout: 30_000 }, (_error, out, err) => resolve(out + err));
  });
}

async function makeObjects(server: ServerChild): Promise<void> {
  const tinkerbell = 'tinkerbell.org/v1alpha1';
  await post(server, '/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'plain' },
    data: { a: Buffer.from(canaries['secretData'] ?? '').toString('base64') },
    stringData: { b: canaries['secretStringData'] },
  });
  await post(server, '/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bmc' },
    type: 'kubernetes.io/basic-auth',
    stringData: { username: 'root', password: canaries['machinePassword'] },
  });
  await post(server, '/apis/bmc.tinkerbell.org/v1alpha1/namespaces/default/machines', {
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Machine',
    metadata: { name: 'bmc' },
    spec: {
      connection: {
        host: '127.0.0.1',
        port: 9,
        insecureTLS: true,
        authSecretRef: { name: 'bmc', namespace: 'default' },
      },
    },
  });
  await post(server, `${API}/hardware`, {
    apiVersion: tinkerbell,
    kind: 'Hardware',
    metadata: { name: 'm1' },
    spec: {
      agentID: MAC,
      userData: `#cloud-config\npassword: ${canaries['userData']}\n`,
      vendorData: `#cloud-config\npassword: ${canaries['vendorData']}\n`,
      interfaces: [{ dhcp: { mac: MAC }, netboot: { allowPXE: true, allowWorkflow: true } }],
    },
  });
  const environment = `{PASSWORD: ${canaries['templateEnvironment']}, IMG_URL: "https://user:${canaries['imagePassword']}@images.example.org/a.raw"}`;
  await post(server, `${API}/templates`, {
    apiVersion: tinkerbell,
    kind: 'Template',
    metadata: { name: 't' },
    spec: {
      data: `version: "0.1"\nname: t\nglobal_timeout: 600\ntasks: [{name: t, worker: "{{ .device_1 }}", actions: [{name: a, image: "example.org/a:v1", timeout: 60, environment: ${environment}}]}]\n`,
    },
  });
  await post(server, `${API}/workflows`, {
    apiVersion: tinkerbell,
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: { templateRef: 't', hardwareRef: 'm1', hardwareMap: { device_1: MAC } },
  });
  await post(server, `${API}/hardware`, {
    apiVersion: tinkerbell,
    kind: 'Hardware',
    metadata: { name: 'm2' },
    spec: { interfaces: [{ dhcp: { mac: BOOTED_MAC }, netboot: { allowPXE: true, allowWorkflow: true } }] },
  });
  await post(server, `${API}/workflows`, {
    apiVersion: tinkerbell,
    kind: 'Workflow',
    metadata: { name: 'w2' },
    spec: { templateRef: 't', hardwareRef: 'm2', hardwareMap: { device_1: BOOTED_MAC } },
  });
}

/** Receives the action with its secrets, as it should, and fails. */
async function failAction(port: number): Promise<void> {
  const environment = { AGENT_GRPC_SERVER: `127.0.0.1:${port}` };
  const read = readSettings({ arguments: [], environment, kernelCommandLine: '', firstMac: MAC });
  assert.ok(read.ok);
  const agent = createWorkflowClient(read.settings);
  const given = await agent.getAction({ agentId: MAC }, new AbortController().signal);
  assert.ok(given.ok, given.ok ? '' : given.error);
  assert.ok(inspect(given.value, { depth: 9 }).includes(canaries['templateEnvironment'] ?? ''));
  const { workflowId, taskId, actionId } = given.value;
  for (const actionState of [StateType.RUNNING, StateType.FAILED]) {
    const report = {
      workflowId,
      taskId,
      actionId,
      agentId: MAC,
      actionState,
      actionName: 'a',
      executionDuration: '',
    };
    assert.ok((await agent.report(report)).ok);
  }
  agent.close();
}

/** Requests that are refused, some with a secret in them. */
async function errorAnswers(server: ServerChild): Promise<string> {
  const basic = Buffer.from(`ann:${canaries['basicPassword']}`).toString('base64');
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bad' },
    data: { a: canaries['secretData'] },
  };
  const asked: readonly (readonly [string, RequestInit])[] = [
    ['/api', { headers: { authorization: `Basic ${basic}` } }],
    ['/v1/auth/token', { headers: { authorization: `Basic ${basic}` } }],
    ['/api/v1/namespaces/default/secrets', { method: 'POST', body: JSON.stringify(secret) }],
    [
      '/api/v1/namespaces/default/secrets',
      { method: 'POST', body: JSON.stringify({ ...secret, stringDatum: {} }) },
    ],
    ['/api/v1/namespaces/default/secrets/none', { method: 'PUT', body: JSON.stringify(secret) }],
    ['/api/v1/namespaces/default/secrets/plain', { method: 'POST', body: JSON.stringify(secret) }],
  ];
  const texts = asked.map(async ([path, init]) => (await server.request(server.url + path, init)).text());
  return (await Promise.all(texts)).join('\n');
}

/** Returns the error for a template with a secret beside its mistake, and the status of its Workflow. */
async function unrenderable(server: ServerChild): Promise<string> {
  const data = (value: string) =>
    `version: "0.1"\nname: bad\nglobal_timeout: 600\ntasks: [{name: t, worker: "{{ .device_1 }}", actions: [{name: a, image: i, timeout: 60, environment: {PASSWORD: "${canaries['templateEnvironment']}", HOST: "${value}"}}]}]\n`;
  const template = (name: string, value: string) => ({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name },
    spec: { data: data(value) },
  });
  const bad = await server.request(`${server.url}${API}/templates`, {
    method: 'POST',
    body: JSON.stringify(template('broken', '{{ .Hardware. }}')),
  });
  await post(server, `${API}/templates`, template('fails', '{{ index .Hardware.Disks 99 }}'));
  const created = await server.request(`${server.url}${API}/workflows`, {
    method: 'POST',
    body: JSON.stringify({
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'fails' },
      spec: { templateRef: 'fails', hardwareRef: 'm1', hardwareMap: { device_1: MAC } },
    }),
  });
  return [await bad.text(), await created.text()].join('\n');
}

const WORDS = [
  'get secrets',
  'get hardware',
  'get templates',
  'get workflows',
  'get machines',
  'describe secret plain',
  'describe machine bmc',
  'describe hardware m1',
  'describe workflow w',
  'tree hardware m1',
  'events',
  'logs w',
  'boot m1',
  'boot m2',
  'events --machine m2',
  'audit',
  'config get-contexts --json',
  'config view',
];

function leaks(sinks: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(canaries).flatMap(([field, canary]) => {
    const spellings = [
      canary,
      Buffer.from(canary).toString('base64').replace(/=+$/, ''),
      encodeURIComponent(canary),
    ];
    return Object.entries(sinks)
      .filter(([, text]) => spellings.some((one) => text.includes(one)))
      .map(([sink]) => `${field} in ${sink}`);
  });
}

test(
  'no secret is in any log, trace, metric, event, record, table or error',
  { timeout: 120_000 },
  async () => {
    await using collector = await startCollector();
    const [grpc, gateway] = [await freePort(), await freePort()];
    const [keys, routes] = [join(folder, 'keys'), join(folder, 'routes.yaml')];
    writeFileSync(keys, `${SEALING_KEY}\n`);
    writeFileSync(
      routes,
      `listeners: [{name: web, address: 127.0.0.1, port: ${gateway}}]
routes: [{name: all, upstream: {endpoints: "127.0.0.1:9"}}]
`,
    );
    await using server = await startServer({
      flags: [
        '--log-level=1',
        `--tink-server-bind-port=${grpc}`,
        `--secrets-key-file=${keys}`,
        `--otel-endpoint=${new URL(collector.url).host}`,
        '--otel-insecure',
        '--enable-gateway',
        `--gateway-config=${routes}`,
      ],
    });
    const tink = (words: string) =>
      told([join(apps, 'tink/src/main.mjs'), '--server', server.url, ...words.split(' ')], {
        TINKERBELL_DATA_DIR: server.dataDirectory,
      });
    canaries['localToken'] = localAuthorization(server.dataDirectory).authorization.replace('Bearer ', '');
    canaries['accountToken'] = (await tink('token create canary --role edit')).split('\n')[0] ?? '';
    const held = { authorization: `Bearer ${canaries['accountToken']}` };
    const short = await fetch(`${server.url}/v1/auth/token`, { headers: held });
    canaries['shortToken'] = ((await short.json()) as { access_token: string }).access_token;
    await fetch(`${server.url}/api?token=x`, {
      headers: { authorization: `Bearer ${canaries['shortToken']}x` },
    });
    await fetch(`http://127.0.0.1:${gateway}/`, { headers: held });
    await makeObjects(server);
    await failAction(grpc);
    const { answers, ...tokens } = await bootedMachine(server.url, grpc, BOOTED_MAC);
    Object.assign(canaries, tokens);
    const sinks: Record<string, string> = {
      'error answers': await errorAnswers(server),
      'answers to stolen tokens': answers,
      'answers to a template that cannot be rendered': await unrenderable(server),
    };
    for (const words of WORDS) {
      const said = await tink(words);
      assert.doesNotMatch(said, /^tink: |^error: /m, words);
      sinks[`tink ${words}`] = said;
    }
    const backup = await tink(`backup ${join(folder, 'all.backup')}`);
    sinks['tink backup'] = backup;
    for (const path of [
      '/metrics',
      '/api/v1/namespaces/default/events',
      '/audit',
      `${API}/workflows/w/timeline`,
    ])
      sinks[path] = await (await server.request(server.url + path)).text();
    await collector.until((spans) => spans.some(({ name }) => name === 'action a'));
    sinks['traces'] = JSON.stringify(collector.spans, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    sinks['log'] = server.said().join('\n');
    for (const [sink, text] of Object.entries(sinks)) assert.notEqual(text, '', sink);
    assert.deepEqual(leaks(sinks), []);
  },
);

test(
  'neither a check of the settings nor a failed start shows a secret of the settings',
  { timeout: 60_000 },
  async () => {
    const password = canaries['databasePassword'] ?? '';
    const sinks: Record<string, string> = {};
    for (const [name, url] of Object.entries({
      escaped: `postgres://tink:${encodeURIComponent(password)}@127.0.0.1:9/tink`,
      'as it is': `postgres://tink:${password}@127.0.0.1:9/tink`,
      'in the query': `postgres://127.0.0.1:9/tink?user=tink&password=${encodeURIComponent(password)}`,
    })) {
      const environment = { TINKERBELL_POSTGRES_URL: url, TINKERBELL_SECRETS_KEY: SEALING_KEY };
      sinks[`config check, password ${name}`] = await told(
        [serverMain, 'config', 'check', '--store=postgres'],
        environment,
      );
      sinks[`start, password ${name}`] = await ended(environment);
    }
    sinks['bad key'] = await ended({ TINKERBELL_SECRETS_KEY: `${SEALING_KEY}x` });
    for (const [sink, text] of Object.entries(sinks)) assert.notEqual(text, '', sink);
    assert.deepEqual(leaks(sinks), []);
  },
);

/** Returns the output of a server until it ends, or for five seconds while it waits for its database. */
function ended(environment: Readonly<Record<string, string>>): Promise<string> {
  const flags = ['--bind-address=127.0.0.1', '--http-port=0', '--dhcp-enabled=false', '--log-level=1'];
  const store = 'TINKERBELL_POSTGRES_URL' in environment ? ['--store=postgres'] : [];
  const child = spawn(process.execPath, [serverMain, `--data-dir=${folder}/data`, ...flags, ...store], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 5_000);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve) =>
    child.on('close', () => {
      clearTimeout(limit);
      resolve(said);
    }),
  );
}
