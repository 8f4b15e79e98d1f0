/** Tests kubectl, the oldest and the newest, unmodified, against the running server. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { kinds } from '@tinkerbell/resources';
import { kubectlClients, type KubectlClient } from './kubectl-clients.ts';
import { startServer, type ServerChild } from './start-server.ts';

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), 'tinkerbell-kubectl-'));
let kubectlPath = '';
let server: ServerChild;

function commandLine(commandArguments: readonly string[]): string[] {
  return [
    '--kubeconfig',
    join(server.dataDirectory, 'kubeconfig'),
    '--cache-dir',
    join(server.dataDirectory, 'cache'),
    ...commandArguments,
  ];
}

async function kubectl(...commandArguments: string[]): Promise<string> {
  const { stdout } = await run(kubectlPath, commandLine(commandArguments), { env: { HOME: home } });
  return stdout;
}

async function failing(...commandArguments: string[]): Promise<string> {
  return kubectl(...commandArguments).then(
    () => assert.fail('kubectl succeeded'),
    (error: { stderr: string }) => error.stderr,
  );
}

const manifests = `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: h, labels: {rack: one}}
spec:
  disks: [{device: /dev/vda}]
  interfaces: [{dhcp: {mac: "52:54:00:12:34:56"}}]
---
apiVersion: tinkerbell.org/v1alpha1
kind: Template
metadata: {name: t}
spec:
  data: |
    name: debian
    global_timeout: 1800
    tasks:
      - name: install
        worker: "{{.device_1}}"
        actions:
          - {name: stream, image: image2disk, timeout: 600, environment: {DEST_DISK: {{ index .Hardware.Disks 0 }}}}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Workflow
metadata: {name: w}
spec: {templateRef: t, hardwareRef: h, hardwareMap: {device_1: "52:54:00:12:34:56"}}
---
apiVersion: tinkerbell.org/v1alpha1
kind: WorkflowRuleSet
metadata: {name: r}
spec: {rules: ['{"cpu":{"totalCores":[4]}}']}
---
apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Machine
metadata: {name: m}
spec: {connection: {host: 10.0.0.1, insecureTLS: true}}
---
apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Job
metadata: {name: j}
spec: {machineRef: {name: m, namespace: default}, tasks: [{powerAction: "on"}]}
---
apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Task
metadata: {name: k}
spec: {task: {powerAction: "on"}}
`;
const file = join(home, 'all.yaml');

for (const client of await kubectlClients())
  describe(client.name, { skip: client.skip }, () => kubectlVerbs(client));

after(() => rmSync(home, { recursive: true }));

function kubectlVerbs(client: KubectlClient): void {
  before(async () => {
    kubectlPath = client.path;
    server = await startServer();
    writeFileSync(file, manifests);
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  test('kubectl applies every kind, and applies again without change', async () => {
    const first = await kubectl('apply', '-f', file);
    assert.equal(first.trim().split('\n').length, kinds.length);
    assert.ok(
      first
        .trim()
        .split('\n')
        .every((line) => line.endsWith(' created')),
      first,
    );
    const versions = () =>
      kubectl(
        'get',
        kinds.map((kind) => `${kind.plural}.${kind.group}`).join(),
        '-o',
        'jsonpath={.items[*].metadata.resourceVersion}',
      );
    await kubectl('wait', 'workflow/w', '--for', 'condition=TemplateRenderedSuccess', '--timeout', '10s');
    const before = await versions();
    // The client sends lists without their defaults again and reports them as configured. Nothing is written.
    await kubectl('apply', '-f', file);
    assert.equal(await versions(), before);
  });

  test('kubectl gets, describes and prints every kind', async () => {
    for (const kind of kinds) {
      const resource = `${kind.plural}.${kind.group}`;
      assert.match(await kubectl('get', resource), /^NAME .*AGE\n/);
      assert.match(await kubectl('get', resource, '-o', 'yaml'), new RegExp(`kind: ${kind.kind}\n`));
      assert.match(await kubectl('describe', resource), new RegExp(`Kind: +${kind.kind}\n`));
    }
  });

  test('kubectl prints several kinds of all namespaces with their columns, by short name and selector', async () => {
    const table = await kubectl('get', 'hardware,templates,workflows', '-A');
    assert.match(table, /NAMESPACE +NAME +TEMPLATE +STATE +ACTION +AGENT +HARDWARE +AGE\n/);
    assert.match(table, /workflow\.tinkerbell\.org\/w +t +PENDING +h +/);
    assert.match(
      await kubectl('get', 'hw', '-l', 'rack=one', '-o', 'name'),
      /^hardware\.tinkerbell\.org\/h\n$/,
    );
    assert.equal(await kubectl('get', 'hw', '-l', 'rack=two', '-o', 'name'), '');
  });

  test('kubectl stops and resumes a workflow by its subresources, and shows why this is refused', async () => {
    const path = '/apis/tinkerbell.org/v1alpha1/namespaces/default/workflows/w';
    const body = join(home, 'body.json');
    writeFileSync(body, '{"who": "kubectl", "why": "a test"}');
    const paused = JSON.parse(await kubectl('create', '--raw', `${path}/pause`, '-f', body)) as {
      status: { paused: boolean; operations: { who: string }[] };
    };
    assert.deepEqual(
      [paused.status.paused, paused.status.operations[0]?.who],
      [true, 'kubectl (from 127.0.0.1)'],
    );
    assert.doesNotMatch(await kubectl('create', '--raw', `${path}/resume`, '-f', body), /"paused"/);
    assert.match(
      await failing('create', '--raw', `${path}/retry`, '-f', body),
      /not finished; cancel it first/,
    );
  });

  test('kubectl describes a workflow with its events', async () => {
    for (;;) {
      const described = await kubectl('describe', 'workflow', 'w');
      if (/^Events:\n/m.test(described)) {
        assert.match(described, /^ +Normal +Rendered +\S+ +tinkerbell-controller +workflow is PENDING$/m);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const listed = await kubectl('get', 'events', '--field-selector', 'involvedObject.name=w');
    assert.match(listed, /Normal +Rendered +Workflow +w +workflow is PENDING/);
  });

  test('kubectl watches', async () => {
    const child = spawn(kubectlPath, commandLine(['get', 'hw', '-w', '-o', 'name']), {
      env: { HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const seen: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      seen.push(line);
      if (seen.length === 1) await kubectl('label', 'hw', 'h', 'rack=three', '--overwrite');
      else break;
    }
    child.kill();
    assert.deepEqual(seen, ['hardware.tinkerbell.org/h', 'hardware.tinkerbell.org/h']);
  });

  test('kubectl shows why an object is refused, and nothing of it is stored', async () => {
    const bad = join(home, 'bad.yaml');
    writeFileSync(
      bad,
      manifests
        .split('---')[0]
        ?.replace('name: h,', 'name: bad,')
        .replace('52:54:00:12:34:56', '52-54-00-AB-CD-EF') ?? '',
    );
    assert.match(
      await failing('apply', '-f', bad),
      /spec\.interfaces\[0\]\.dhcp\.mac: .*write "52:54:00:ab:cd:ef"/,
    );
    assert.match(await failing('get', 'hw', 'bad'), /hardware\.tinkerbell\.org "bad" not found/);
  });

  test('kubectl patches, edits by replace, and deletes', async () => {
    await kubectl('patch', 'hw', 'h', '--type', 'merge', '-p', '{"spec":{"userData":"x"}}');
    await kubectl('patch', 'hw', 'h', '--type', 'json', '-p', '[{"op":"remove","path":"/spec/userData"}]');
    const exported = join(home, 'export.json');
    writeFileSync(exported, await kubectl('get', 'hw', 'h', '-o', 'json'));
    assert.match(await kubectl('replace', '-f', exported), /replaced/);
    const deleted = await kubectl('delete', '-f', file);
    assert.equal(deleted.trim().split('\n').length, kinds.length);
    assert.equal(await kubectl('get', 'wf', '-o', 'name'), '');
  });
}
