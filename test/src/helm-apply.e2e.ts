/**
 * What the Helm chart renders, as `kubectl apply --dry-run=server` gives it to API servers: a real kube-apiserver takes everything, and our own API what
 * it serves. Needs the newest Helm and kubectl, and the former also a kube-apiserver, built where Go is installed.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { startKubeApiServer } from './cluster/kube-apiserver.ts';
import { kubeProgramsAreMissing } from './cluster/kube-programs.ts';
import { goClients } from './go-clients.ts';
import { startServer } from './start-server.ts';

const run = promisify(execFile);
const clients = await goClients();
const chart = join(import.meta.dirname, '../../deploy/helm/tinkerbell');
const noCluster = clients.skip === false ? (kubeProgramsAreMissing() ?? false) : clients.skip;

/** One for each store, with all that can be switched on. A ServiceMonitor needs the definitions of another project. */
const SITES: readonly (readonly string[])[] = [
  ['networkPolicy.enabled=true'],
  ['store.kind=sqlite'],
  ['store.kind=postgres', 'store.postgres.secretName=db', 'deployment.replicas=3'],
];

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

async function rendered(settings: readonly string[]): Promise<readonly Rendered[]> {
  assert.ok(clients.skip === false);
  const sets = ['publicIP=192.0.2.10', ...settings].flatMap((one) => ['--set', one]);
  const { stdout } = await run(clients.path('helm'), ['template', 'site', chart, '--include-crds', ...sets]);
  const parsed = parseYaml(stdout);
  assert.ok(parsed.ok);
  return parsed.documents.flatMap((document) => (toJson(document) as unknown as Rendered | null) ?? []);
}

/** Returns what kubectl printed. */
async function kubectl(kubeconfig: string, words: readonly string[], input = ''): Promise<string> {
  assert.ok(clients.skip === false);
  const child = spawn(clients.path('kubectl'), ['--kubeconfig', kubeconfig, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(code, 0, errors);
  return output;
}

async function assertTaken(kubeconfig: string, objects: readonly Rendered[]): Promise<void> {
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const output = await kubectl(kubeconfig, ['apply', '--dry-run=server', '-f', '-'], input);
  const taken = output.trim().split('\n');
  assert.equal(taken.length, objects.length, output);
  for (const line of taken) assert.match(line, / (?:created|configured|unchanged) \(server dry run\)$/);
}

describe('kubectl apply --dry-run=server of the Helm chart', () => {
  test('a real kube-apiserver takes all of it', { skip: noCluster }, async () => {
    await using api = await startKubeApiServer();
    for (const settings of SITES) await assertTaken(api.kubeconfig, await rendered(settings));
  });

  test('our own API takes the kinds that it serves', { skip: clients.skip }, async () => {
    await using server = await startServer();
    const kubeconfig = join(server.dataDirectory, 'kubeconfig');
    const listed = await kubectl(kubeconfig, ['api-resources', '--no-headers']);
    const served = new Set(
      listed
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/).at(-1)),
    );
    for (const settings of SITES) {
      const objects = (await rendered(settings)).filter(({ kind }) => served.has(kind));
      assert.ok(objects.length >= 8, 'its seven definitions and the ServiceAccount');
      await assertTaken(kubeconfig, objects);
    }
  });
});
