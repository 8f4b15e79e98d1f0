/**
 * Tests one of our servers as the cluster of another: our kinds, a Hardware seen from both sides, and a move
 * into it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pause } from './crash/simulated-agent.ts';
import { startServer, type ServerChild } from './start-server.ts';

const ROOT = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const SERVER = join(import.meta.dirname, '../../apps/server/src/main.mjs');
const TINK = join(import.meta.dirname, '../../apps/tink/src/main.mjs');
const run = async (program: string, ...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [program, ...words])).stdout;

interface Served {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: object };
  readonly status?: { readonly state?: string };
}

async function create({ url, request }: ServerChild, collection: string, object: object): Promise<void> {
  const response = await request(`${url}${ROOT}/${collection}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...object }),
  });
  assert.equal(response.status, 201, await response.text());
}

async function read({ url, request }: ServerChild, path: string): Promise<Served | undefined> {
  const response = await request(`${url}${ROOT}/${path}`);
  return response.ok ? ((await response.json()) as Served) : undefined;
}

/** Resolves with the object when it has a state. */
async function rendered(server: ServerChild, path: string): Promise<Served> {
  for (;;) {
    const found = await read(server, path);
    if (found?.status?.state !== undefined && found.status.state !== '') return found;
    await pause(50);
  }
}

/** Returns the kubeconfig with which commands on its machine reach a server. */
function kubeconfigOf({ dataDirectory }: ServerChild): string {
  return join(dataDirectory, 'kubeconfig');
}

const hardware = (name: string) => ({
  kind: 'Hardware',
  metadata: { name, labels: { rack: 'a' } },
  spec: {},
});
const templateText = `version: "0.1"
name: t
global_timeout: 0
tasks: [{name: a, worker: "{{ .device_1 }}", actions: [{name: one, image: example.org/a}]}]
`;
const template = { kind: 'Template', metadata: { name: 't' }, spec: { data: templateText } };
const spec = { templateRef: 't', hardwareMap: { device_1: '52:54:00:00:00:01' } };
const workflow = { kind: 'Workflow', metadata: { name: 'w' }, spec };

test('a server keeps its objects in another one as in a cluster, and a file is moved into it', async () => {
  const flags = ['--store', 'memory', '--enable-tink-controller=false'];
  await using cluster = await startServer({ flags });
  const kubeconfig = kubeconfigOf(cluster);
  assert.match(await run(SERVER, 'crds', 'apply', '--kubeconfig', kubeconfig), /hardware/);
  {
    await using server = await startServer({
      flags: ['--store', 'kubernetes', '--kubeconfig', kubeconfig],
    });
    await create(server, 'hardware', hardware('m1'));
    const seen = await read(cluster, 'hardware/m1');
    assert.deepEqual(seen?.metadata.labels, { rack: 'a' });
    await create(cluster, 'templates', template);
    await create(cluster, 'workflows', workflow);
    assert.equal((await rendered(server, 'workflows/w')).status?.state, 'PENDING');
  }
  await using empty = await startServer({ flags });
  await using source = await startServer();
  await create(source, 'hardware', hardware('m2'));
  await create(source, 'templates', template);
  await create(source, 'workflows', workflow);
  const before = await rendered(source, 'workflows/w');
  await source.kill();
  const target = `kubernetes:${kubeconfigOf(empty)}`;
  await run(TINK, 'migrate', '--from', `sqlite:${source.dataDirectory}`, '--to', target);
  assert.deepEqual((await read(empty, 'workflows/w'))?.status, before.status);
  assert.deepEqual((await read(empty, 'hardware/m2'))?.metadata.labels, { rack: 'a' });
});
