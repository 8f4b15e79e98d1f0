import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED } from '@tinkerbell/access';
import { MASTER, startedApi } from './testing/started-api.ts';

const group = '/apis/tinkerbell.org/v1alpha1/namespaces';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const apiVersion = 'tinkerbell.org/v1alpha1';
const ann = { name: 'ann', groups: [AUTHENTICATED] };
const MAC = '52:54:00:00:00:01';
const none = { deny: [], allow: [] };

function hardware(name: string, mac: string, address: string, agentID?: string) {
  const spec = { interfaces: [{ dhcp: { mac, ip: { address, netmask: '255.255.255.0' } } }] };
  return {
    apiVersion,
    kind: 'Hardware',
    metadata: { name },
    spec: agentID === undefined ? spec : { ...spec, agentID },
  };
}

function workflow(name: string, worker: string, annotations = {}, key = 'device_1') {
  const spec = { templateRef: 't', hardwareMap: { [key]: worker } };
  return { apiVersion, kind: 'Workflow', metadata: { name, annotations }, spec };
}

function ruleSet(namespace: string) {
  const spec = {
    rules: ['{"pattern": {"chassis": [{"exists": true}]}}'],
    workflow: { namespace, template: { ref: 't' } },
  };
  return { apiVersion, kind: 'WorkflowRuleSet', metadata: { name: 'r' }, spec };
}

/** Binds ann to a role. */
function bindingTo(kind: string, name: string) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'ann' },
    roleRef: { apiGroup, kind, name },
    subjects: [{ apiGroup, kind: 'User', name: 'ann' }],
  };
}

/** Creates the machine `m1` in `default`, and ann, who may edit in `lab`. */
async function scene() {
  const api = await startedApi(none, { isGuarded: true });
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'lab' } });
  assert.equal(
    (await api.call('POST', `${group}/default/hardware`, hardware('m1', MAC, '10.0.0.1', 'rack-1'))).code,
    201,
  );
  assert.equal(
    (await api.call('POST', `${rbac}/namespaces/lab/rolebindings`, bindingTo('ClusterRole', 'edit'))).code,
    201,
  );
  api.as(ann);
  return api;
}

test('a Hardware cannot take a MAC, address or agent id of another one, when created or changed', async () => {
  await using api = await scene();
  const own = hardware('own', '52:54:00:00:00:02', '10.0.0.2');
  assert.equal((await api.call('POST', `${group}/lab/hardware`, own)).code, 201);
  const thefts = [
    hardware('own', MAC, '10.0.0.2'),
    hardware('own', '52:54:00:00:00:02', '10.0.0.1'),
    hardware('own', '52:54:00:00:00:02', '10.0.0.2', 'rack-1'),
    hardware('own', '52:54:00:00:00:02', '10.0.0.2', MAC),
    { ...own, spec: { interfaces: [...own.spec.interfaces, { dhcp: { mac: MAC } }] } },
  ];
  for (const theft of thefts) {
    const created = await api.call('POST', `${group}/lab/hardware`, {
      ...theft,
      metadata: { name: 'thief' },
    });
    assert.equal(created.code, 422, JSON.stringify(theft));
    assert.match(created.body.message, /belongs to a Hardware of another namespace/);
    assert.doesNotMatch(created.body.message, /m1/, 'names of other namespaces are not shown');
    const current = await api.call('GET', `${group}/lab/hardware/own`);
    const changed = await api.call('PUT', `${group}/lab/hardware/own`, { ...current.body, spec: theft.spec });
    assert.equal(changed.code, 422, JSON.stringify(theft));
    const patched = await api.call(
      'PATCH',
      `${group}/lab/hardware/own`,
      { spec: theft.spec },
      { 'content-type': 'application/merge-patch+json' },
    );
    assert.equal(patched.code, 422, JSON.stringify(theft));
  }
  api.as(MASTER);
  const twice = await api.call('POST', `${group}/default/hardware`, hardware('m2', MAC, '10.0.0.9'));
  assert.match(
    twice.body.message,
    /spec\.interfaces\[0\]\.dhcp\.mac.*belongs to Hardware m1; remove it there first/,
  );
});

test('a Workflow does not run on a machine of another namespace, unless its author may use it', async () => {
  await using api = await scene();
  for (const worker of [MAC, 'rack-1']) {
    const refused = await api.call('POST', `${group}/lab/workflows`, workflow('w', worker));
    assert.equal(refused.code, 422);
    assert.match(refused.body.message, /spec\.hardwareMap\.device_1: .*is a machine of another namespace/);
  }
  const other = await api.call('POST', `${group}/lab/workflows`, workflow('w', MAC, {}, 'worker'));
  assert.match(other.body.message, /spec\.hardwareMap\.worker: .*is a machine of another namespace/);
  const uses = { 'tinkerbell.org/use-hardware': 'default/m1' };
  const denied = await api.call('POST', `${group}/lab/workflows`, workflow('w', MAC, uses));
  assert.equal(denied.code, 403);
  assert.match(denied.body.message, /user "ann" cannot use hardware "default\/m1"/);
  assert.equal((await api.call('POST', `${group}/lab/workflows`, workflow('w', 'x'))).code, 201);
  const slipped = await api.call(
    'PATCH',
    `${group}/lab/workflows/w`,
    { metadata: { annotations: uses } },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.equal(slipped.code, 403);
  api.as(MASTER);
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'use' },
    rules: [
      { verbs: ['use'], apiGroups: ['tinkerbell.org'], resources: ['hardware'], resourceNames: ['m1'] },
    ],
  };
  await api.call('POST', `${rbac}/namespaces/default/roles`, role);
  await api.call('POST', `${rbac}/namespaces/default/rolebindings`, bindingTo('Role', 'use'));
  api.as(ann);
  assert.equal((await api.call('POST', `${group}/lab/workflows`, workflow('w2', MAC, uses))).code, 201);
});

test('a rule set creates Workflows only where its author may', async () => {
  await using api = await scene();
  const refused = await api.call('POST', `${group}/lab/workflowrulesets`, ruleSet('default'));
  assert.equal(refused.code, 403, refused.body.message);
  assert.match(refused.body.message, /cannot create workflows in the namespace "default"/);
  for (const namespace of ['lab', '']) {
    const made = await api.call('POST', `${group}/lab/workflowrulesets`, ruleSet(namespace));
    assert.equal(made.code, 201, made.body.message);
    await api.call('DELETE', `${group}/lab/workflowrulesets/r`);
  }
});
