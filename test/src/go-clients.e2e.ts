/**
 * Tests the newest kubectl, helm and client-go against the running server: what they send as protobuf, and
 * Go's own marshalling.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { decodeKubernetes, encodeKubernetes } from '@tinkerbell/kube-protobuf';
import { objects } from '@tinkerbell/kube-protobuf/testing/objects';
import { goClients, type GoClient } from './go-clients.ts';
import { startServer, type ServerChild } from './start-server.ts';

const run = promisify(execFile);
const clients = await goClients();
const home = mkdtempSync(join(tmpdir(), 'tinkerbell-go-clients-'));
const LIMITS = { nodes: 50_000, depth: 100, keys: 1024 };
let server: ServerChild;

function pathOf(client: GoClient): string {
  assert.ok(clients.skip === false);
  return clients.path(client);
}

function kubeconfig(): string {
  return join(server.dataDirectory, 'kubeconfig');
}

async function kubectl(command: string): Promise<string> {
  const words = ['--kubeconfig', kubeconfig(), ...command.split(' ')];
  const { stdout } = await run(pathOf('kubectl'), words, { env: { HOME: home }, cwd: home });
  return stdout;
}

async function helm(command: string): Promise<string> {
  const { stdout } = await run(pathOf('helm'), command.split(' '), {
    env: { HOME: home, KUBECONFIG: kubeconfig() },
    cwd: home,
  });
  return stdout;
}

function put(name: string, text: string): void {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

interface Line {
  readonly json?: unknown;
  readonly protobuf?: string;
  readonly error?: string;
}

/** Returns each line in the other form, as Go's own serializers convert it. */
async function marshalled(lines: readonly Line[]): Promise<readonly Line[]> {
  const child = spawn(pathOf('marshal'), { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const answers: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line) as Line);
  return answers;
}

function asProtobuf(object: object): string {
  const bytes = encodeKubernetes(object);
  assert.ok(bytes !== undefined);
  return bytes.toBase64();
}

function fromProtobuf(base64: string): object {
  const found = decodeKubernetes(Uint8Array.fromBase64(base64), LIMITS);
  assert.ok(found.ok, found.ok ? '' : found.message);
  return found.value;
}

/** Removes what one of them omits: null, empty texts, and objects that are then empty. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value === '' ? undefined : (value ?? undefined);
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const kept = withoutEmpty(one);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: rack\nversion: 0.1.0\n',
  'chart/values.yaml': 'note: one\n',
  'chart/templates/built-in.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {note: {{ .Values.note }}}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
stringData: {note: {{ .Values.note }}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .Release.Name }}}
rules: [{apiGroups: [tinkerbell.org], resources: [hardware], verbs: [get{{ if eq .Values.note "two" }}, list{{ end }}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: {{ .Release.Name }}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}]
`,
  'chart/templates/tinkerbell.yaml': `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: {{ .Release.Name }}}
spec: {userData: {{ .Values.note }}, interfaces: [{dhcp: {mac: "52:54:00:12:34:56"}}]}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Template
metadata: {name: {{ .Release.Name }}}
spec:
  data: |
    name: debian
    global_timeout: 1800
    tasks:
      - {name: install, worker: w, actions: [{name: a, image: writefile, timeout: 60}]}
`,
};

describe('clients in Go', { skip: clients.skip }, () => {
  before(async () => {
    server = await startServer();
    for (const [name, text] of Object.entries(chart)) put(name, text);
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });

  test("every built-in kind matches Go's own serializers, in both directions", async () => {
    const theirs = await marshalled(objects.map((json) => ({ json })));
    const back = await marshalled(objects.map((one) => ({ protobuf: asProtobuf(one) })));
    for (const [index, object] of objects.entries()) {
      const { protobuf = '', error } = theirs[index] ?? {};
      assert.equal(error ?? '', '', object.kind);
      const wanted = withoutEmpty(object);
      assert.deepEqual(withoutEmpty(fromProtobuf(protobuf)), wanted);
      assert.deepEqual(withoutEmpty(back[index]?.json), wanted);
    }
  });

  test('kubectl creates every built-in kind', async () => {
    const steps: readonly (readonly [command: string, says: RegExp])[] = [
      ['create namespace lab', /namespace\/lab created/],
      ['create configmap c -n lab --from-literal=a=b', /created/],
      ['create secret generic s -n lab --from-literal=a=b', /created/],
      ['create serviceaccount sa -n lab', /created/],
      ['create role r -n lab --verb=get --resource=hardware.tinkerbell.org', /created/],
      ['create rolebinding rb -n lab --role=r --serviceaccount=lab:sa', /created/],
      ['create clusterrole cr --verb=get,list --resource=workflows.tinkerbell.org', /created/],
      ['create clusterrolebinding crb --clusterrole=cr --serviceaccount=lab:sa', /created/],
      ['create token sa -n lab --duration=10m', /^ey/],
      ['auth whoami', /system:masters/],
      ['auth can-i get hardware -n lab', /^yes/],
      ['auth can-i --list', /\*\.\*/],
      ['set subject rolebinding rb -n lab --user=bob', /updated/],
      ['get rolebinding rb -n lab -o yaml', /name: bob/],
      ['events -n lab', /^/],
      ['get cm,secret,sa,role,rolebinding -n lab', /configmap\/c +1[^]*rolebinding.*\/rb/],
      ['delete cm c -n lab', /deleted/],
      ['delete ns lab', /deleted/],
      ['delete clusterrole/cr clusterrolebinding/crb', /crb.* deleted/],
    ];
    for (const [command, says] of steps) assert.match(await kubectl(command), says, command);
  });

  test('kubectl reconciles roles, and applies its own result again', async () => {
    const role = (verbs: string) =>
      `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: rec}, rules: [{apiGroups: [""], resources: [secrets], verbs: ${verbs}}]}`;
    put('role.yaml', role('[get]'));
    put('more.yaml', role('[get, list]'));
    const verbsNow = () => kubectl('get clusterrole rec -o jsonpath={.rules[*].verbs}');
    await kubectl('auth reconcile -f role.yaml');
    assert.equal(await verbsNow(), '["get"]');
    await kubectl('auth reconcile -f more.yaml');
    assert.match(await verbsNow(), /"list"/);
    assert.match(await kubectl('apply -f role.yaml'), /configured/);
    assert.match(await kubectl('apply -f more.yaml'), /configured/);
    assert.equal(await verbsNow(), '["get","list"]');
  });

  test('helm installs, upgrades, rolls back and uninstalls a chart', async () => {
    const noteNow = () => kubectl('get cm,hw r1 -o jsonpath={.items[*].data.note}/{.items[*].spec.userData}');
    const verbsNow = () => kubectl('get role r1 -o jsonpath={.rules[0].verbs}');
    assert.match(await helm('install r1 chart'), /STATUS: deployed/);
    assert.deepEqual([await noteNow(), await verbsNow()], ['one/one', '["get"]']);
    assert.match(await helm('upgrade r1 chart --set note=two'), /STATUS: deployed/);
    assert.deepEqual([await noteNow(), await verbsNow()], ['two/two', '["get","list"]']);
    await helm('rollback r1 1');
    assert.deepEqual([await noteNow(), await verbsNow()], ['one/one', '["get"]']);
    assert.match(await helm('list'), /r1\s+default\s+3/);
    assert.match(await helm('uninstall r1'), /uninstalled/);
    assert.equal(await kubectl('get cm,secret,sa,role,rolebinding,hw,tpl -o name'), '');
    assert.match(await helm('install r2 chart -n made --create-namespace'), /STATUS: deployed/);
  });

  test('client-go elects a leader by a Lease, reports it by an Event, and watches', async () => {
    const elect = async (identity: string) => {
      const words = [kubeconfig(), 'default', 'duty', identity];
      return (await run(pathOf('leader'), words, { env: { HOME: home } })).stdout;
    };
    const both = await Promise.all([elect('one'), elect('two')]);
    for (const said of both) {
      assert.match(said, /^leading$/m);
      assert.match(said, /^configmaps true <nil>$/m);
      assert.match(said, /^saw ADDED 2$/m);
      assert.match(said, /^resigned$/m);
    }
    assert.match(await kubectl('get lease duty -o jsonpath={.spec.leaseTransitions}'), /^[1-9]/);
    assert.match(await kubectl('get events'), /LeaderElection +Lease +duty +(?:one|two) became leader/);
  });
});
