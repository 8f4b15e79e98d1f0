/** Renders the Helm chart with the newest Helm, built where Go is installed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { environmentNameOf, flags } from '@tinkerbell/app-server';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { goClients } from './go-clients.ts';

const run = promisify(execFile);
const clients = await goClients();
const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm/tinkerbell');
const ADDRESS = 'publicIP=192.0.2.10';

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Record<string, unknown>;
  readonly rules?: unknown;
}

async function helm(...words: readonly string[]): Promise<string> {
  assert.ok(clients.skip === false);
  const { stdout } = await run(clients.path('helm'), [...words]);
  return stdout;
}

async function rendered(...settings: readonly string[]): Promise<readonly Rendered[]> {
  const text = await helm('template', 'site', chart, ...settings.flatMap((one) => ['--set', one]));
  return objectsIn(text);
}

function objectsIn(text: string): readonly Rendered[] {
  const parsed = parseYaml(text);
  assert.ok(parsed.ok);
  return parsed.documents.flatMap((document) => {
    const object = toJson(document) as unknown as Rendered | null;
    return object ?? [];
  });
}

function kindsOf(objects: readonly Rendered[]): readonly string[] {
  return objects.map(({ kind }) => kind).toSorted();
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

function containerOf(objects: readonly Rendered[]): Container {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const template = deployment?.spec?.['template'] as { spec: { containers: readonly Container[] } };
  const [container] = template.spec.containers;
  assert.ok(container !== undefined);
  return container;
}

describe('the Helm chart', { skip: clients.skip }, () => {
  test('passes lint, and renders what each store needs', async () => {
    assert.match(await helm('lint', chart, '--set', ADDRESS), /0 chart\(s\) failed/);
    const always = ['Deployment', 'Service', 'ServiceAccount'];
    const roles = ['ClusterRole', 'ClusterRoleBinding'];
    assert.deepEqual(kindsOf(await rendered(ADDRESS)), [...roles, ...always]);
    const file = await rendered(ADDRESS, 'store.kind=sqlite');
    assert.deepEqual(kindsOf(file), ['Deployment', 'PersistentVolumeClaim', 'Service', 'ServiceAccount']);
    const database = ['store.kind=postgres', 'store.postgres.secretName=db', 'deployment.replicas=3'];
    assert.deepEqual(kindsOf(await rendered(ADDRESS, ...database)), [
      'Deployment',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
    const watched = await rendered(ADDRESS, 'networkPolicy.enabled=true', 'serviceMonitor.enabled=true');
    assert.ok(kindsOf(watched).includes('NetworkPolicy') && kindsOf(watched).includes('ServiceMonitor'));
  });

  test('sets only what the server knows', async () => {
    const settings = [
      ADDRESS,
      'trustedProxies={10.0.0.0/8,192.0.2.1/32}',
      'artifactsFileServer=http://192.0.2.20:7173',
      'deployment.envs.globals.logLevel=1',
      'deployment.envs.smee.logLevel=2',
      'deployment.envs.smee.dhcpMode=proxy',
      'deployment.envs.smee.ipxeHttpScriptExtraKernelArgs={console=ttyS0,quiet}',
      'deployment.envs.tootles.debugMode=true',
      'deployment.envs.tinkServer.autoEnrollmentEnabled=true',
      'deployment.envs.tinkController.enableLeaderElection=true',
      'deployment.envs.rufio.maxConcurrentReconciles=4',
      'deployment.envs.secondstar.port=2222',
    ];
    const { env } = containerOf(await rendered(...settings));
    const known = new Set(flags.map(({ name }) => environmentNameOf(name)));
    const unknown = env.filter(({ name }) => !known.has(name)).map(({ name }) => name);
    assert.deepEqual(unknown, []);
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    assert.equal(given['TINKERBELL_DHCP_MODE'], 'proxy');
    assert.equal(given['TINKERBELL_LOG_LEVEL'], '1');
    assert.equal(given['TINKERBELL_SMEE_LOG_LEVEL'], '2');
    assert.equal(given['TINKERBELL_TINK_SERVER_AUTO_ENROLLMENT_ENABLED'], 'true');
    assert.equal(given['TINKERBELL_TRUSTED_PROXIES'], '10.0.0.0/8,192.0.2.1/32');
    assert.equal(given['TINKERBELL_IPXE_HTTP_SCRIPT_EXTRA_KERNEL_ARGS'], 'console=ttyS0,quiet');
    assert.equal(given['TINKERBELL_RUFIO_MAX_CONCURRENT_RECONCILES'], '4');
  });

  test('gives a server in the cluster the permissions that it needs', async () => {
    const needed = objectsIn(readFileSync(join(root, 'deploy/kubernetes/rbac.yaml'), 'utf8'));
    const roleIn = (objects: readonly Rendered[]) =>
      objects.find(({ kind }) => kind === 'ClusterRole')?.rules;
    assert.deepEqual(roleIn(await rendered(ADDRESS)), roleIn(needed));
  });

  test('has the definitions of the API', async () => {
    const shown = await helm('show', 'crds', chart);
    assert.equal(objectsIn(shown).filter(({ kind }) => kind === 'CustomResourceDefinition').length, 7);
  });

  const wrong: readonly (readonly [settings: readonly string[], message: RegExp])[] = [
    [[], /publicIP/],
    [['publicIP=boot.example.org'], /publicIP.*pattern/s],
    [[ADDRESS, 'store.kind=etcd'], /store.*kind/s],
    [[ADDRESS, 'deployment.replica=2'], /replica/],
    [[ADDRESS, 'deployment.replicas=none'], /replicas/],
    [[ADDRESS, 'deployment.envs.boots.x=1'], /boots/],
    [[ADDRESS, 'store.kind=sqlite', 'deployment.replicas=2'], /deployment\.replicas: one server only/],
    [[ADDRESS, 'store.kind=postgres'], /store\.postgres\.secretName: name the Secret/],
  ];
  for (const [settings, message] of wrong)
    test(`refuses ${settings.slice(-2).join(' ') || 'no value'}, and names the field`, async () => {
      await assert.rejects(rendered(...settings), message);
    });
});
