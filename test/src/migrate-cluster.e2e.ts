/** One of our servers as the cluster of another: our kinds, a Hardware seen from both sides, a move into it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pause } from './crash/simulated-agent.ts';
import { startServer } from './start-server.ts';

const ROOT = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
const SERVER = join(import.meta.dirname, '../../apps/server/src/main.mjs');
const TINK = join(import.meta.dirname, '../../apps/tink/src/main.ts');
const run = async (program: string, ...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [program, ...words])).stdout;

interface Served {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: object };
  readonly status?: { readonly state?: string };
}

async function create(url: string, collection: string, object: object): Promise<void> {
  const response = await fetch(`${url}${ROOT}/${collection}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'tinkerbell.org/v1alpha1', ...object }),
  });
  assert.equal(response.status, 201, await response.text());
}

async function read(url: string, path: string): Promise<Served | undefined> {
  const response = await fetch(`${url}${ROOT}/${path}`);
  return response.ok ? ((await response.json()) as Served) : undefined;
}

/** The object when it has a state. */
async function rendered(url: string, path: string): Promise<Served> {
  for (;;) {
    const found = await read(url, path);
    if (found?.status?.state !== undefined && found.status.state !== '') return found;
    await pause(50);
  }
}

function kubeconfigOf(folder: string, name: string, url: string): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${url}"}}]
users: [{name: u, user: {}}]
`,
  );
  return path;
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

test('a server keeps its objects in another one as in a cluster, and a file moves into it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tinkerbell-cluster-'));
  try {
    const flags = ['--store', 'memory', '--enable-tink-controller=false'];
    await using cluster = await startServer({ flags });
    const kubeconfig = kubeconfigOf(folder, 'config', cluster.url);
    assert.match(await run(SERVER, 'crds', 'apply', '--kubeconfig', kubeconfig), /hardware/);
    {
      await using server = await startServer({
        flags: ['--store', 'kubernetes', '--kubeconfig', kubeconfig],
      });
      await create(server.url, 'hardware', hardware('m1'));
      const seen = await read(cluster.url, 'hardware/m1');
      assert.deepEqual(seen?.metadata.labels, { rack: 'a' });
      await create(cluster.url, 'templates', template);
      await create(cluster.url, 'workflows', workflow);
      assert.equal((await rendered(server.url, 'workflows/w')).status?.state, 'PENDING');
    }
    await using empty = await startServer({ flags });
    await using source = await startServer();
    await create(source.url, 'hardware', hardware('m2'));
    await create(source.url, 'templates', template);
    await create(source.url, 'workflows', workflow);
    const before = await rendered(source.url, 'workflows/w');
    await source.kill();
    const target = `kubernetes:${kubeconfigOf(folder, 'other', empty.url)}`;
    await run(TINK, 'migrate', '--from', `sqlite:${source.dataDirectory}`, '--to', target);
    assert.deepEqual((await read(empty.url, 'workflows/w'))?.status, before.status);
    assert.deepEqual((await read(empty.url, 'hardware/m2'))?.metadata.labels, { rack: 'a' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
