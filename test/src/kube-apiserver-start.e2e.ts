/**
 * Tests the first start of a server on a cluster without anything that it needs, and without a role for it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '@tinkerbell/sandbox/free-port';
import { requiredRules } from '@tinkerbell/store-kubernetes';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { applyDefinitions } from './cluster/api-server.ts';
import { startKubeApiServer } from './cluster/kube-apiserver.ts';
import { kubeProgramsAreMissing } from './cluster/kube-programs.ts';
import { pause } from './crash/simulated-agent.ts';
import { startServer } from './start-server.ts';

const skip = kubeProgramsAreMissing() ?? false;
const ROLES = join(import.meta.dirname, '../../deploy/kubernetes/rbac.yaml');

test('the ClusterRole in deploy matches what the store needs', () => {
  const parsed = parseYaml(readFileSync(ROLES, 'utf8'));
  assert.ok(parsed.ok);
  const objects = parsed.documents.map((one) => toJson(one) as { kind: string; rules?: unknown });
  assert.deepEqual(objects.find(({ kind }) => kind === 'ClusterRole')?.rules, requiredRules);
});

async function probe(url: string): Promise<string> {
  return fetch(`${url}/readyz?verbose`).then(
    (response) => response.text(),
    () => '',
  );
}

async function untilProbe(url: string, expected: RegExp): Promise<void> {
  for (let text = await probe(url); !expected.test(text); text = await probe(url)) await pause(100);
}

test(
  'a server waits for permissions, CRDs and namespace, reports what is missing, and continues',
  { skip },
  async () => {
    await using api = await startKubeApiServer();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const flags = ['--store=kubernetes', `--kubeconfig=${api.userKubeconfig}`, `--http-port=${port}`];
    const starting = startServer({ flags });
    await untilProbe(
      url,
      /\[-\]cluster failed: the cluster does not allow get hardware\.tinkerbell\.org, list .*deploy\/kubernetes\/rbac\.yaml/,
    );
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    await api.grant({ mayCreateNamespaces: false });
    await untilProbe(
      url,
      /\[-\]cluster failed: the cluster does not have hardware\.tinkerbell\.org, .*tinkerbell crds apply/,
    );
    await applyDefinitions(api, 'upstream');
    await untilProbe(
      url,
      /\[-\]cluster failed: the namespace tinkerbell, .* cannot be created: .*kubectl create namespace/,
    );
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tinkerbell' } };
    const made = await api.call({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
    assert.equal(made.status, 201);
    await using server = await starting;
    await untilProbe(server.url, /readyz check passed/);
    assert.ok(server.said().some((line) => line.includes('waiting for the cluster')));
    assert.ok(!server.said().some((line) => /tokens are disabled|agent sessions are disabled/.test(line)));
    for (const name of ['token-signing-key', 'tinkerbell-agent-identity']) {
      const { status } = await api.call({
        method: 'GET',
        path: `/api/v1/namespaces/tinkerbell/secrets/${name}`,
      });
      assert.equal(status, 200, name);
    }
  },
);

test('a server that is started before its cluster waits for it', { skip }, async () => {
  await using api = await startKubeApiServer();
  await api.grant();
  await applyDefinitions(api, 'ours');
  await api.kill();
  const port = await freePort();
  const flags = ['--store=kubernetes', `--kubeconfig=${api.userKubeconfig}`, `--http-port=${port}`];
  const starting = startServer({ flags });
  await untilProbe(
    `http://127.0.0.1:${port}`,
    /\[-\]cluster failed: the Kubernetes API at .* does not answer: .*ECONNREFUSED/,
  );
  await api.start();
  await using server = await starting;
  await untilProbe(server.url, /readyz check passed/);
});
