import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTHENTICATED, type User } from '@tinkerbell/access';
import { base, MASTER, startedApi } from './testing/started-api.ts';

const TINKERBELL = 'tinkerbell.org/v1alpha1';
const RBAC = 'rbac.authorization.k8s.io';
const everything = { deny: [], allow: [] };
const path = `${base}/templates/debian/render`;
const ann: User = { name: 'ann', groups: [AUTHENTICATED] };

const data = `name: debian
tasks:
  - name: install
    worker: "{{ .device_1 }}"
    actions:
      - name: write
        image: image2disk
        environment:
          DISK: {{ index .Hardware.Disks 0 }}
`;
const BMC = 'bmc.tinkerbell.org';
const bmc = { namespace: 'default', name: 'b1', group: BMC, version: 'v1alpha1', resource: 'machines' };

async function withSite() {
  const api = await startedApi(everything, { isGuarded: true });
  const made = [
    await api.call('POST', `${base}/hardware`, {
      apiVersion: TINKERBELL,
      kind: 'Hardware',
      metadata: { name: 'm1' },
      spec: {
        agentID: 'agent-1',
        disks: [{ device: '/dev/vda' }],
        references: { bmc },
      },
    }),
    await api.call('POST', `${base}/templates`, {
      apiVersion: TINKERBELL,
      kind: 'Template',
      metadata: { name: 'debian' },
      spec: { data },
    }),
    await api.call('POST', `/apis/${BMC}/v1alpha1/namespaces/default/machines`, {
      apiVersion: `${BMC}/v1alpha1`,
      kind: 'Machine',
      metadata: { name: 'b1' },
      spec: { connection: { host: '192.0.2.7', insecureTLS: true, authSecretRef: { name: 'b1' } } },
    }),
  ];
  for (const { code, body } of made) assert.equal(code, 201, JSON.stringify(body));
  return api;
}

test('a template is rendered for a machine, and nothing is stored or recorded', async () => {
  await using api = await withSite();
  const before = (await api.journal.read({ after: 0 })).length;
  const { code, body } = await api.call('POST', path, { hardware: 'm1' });
  assert.deepEqual([code, body.ok], [200, true]);
  assert.match(body.text, /DISK: \/dev\/vda/);
  assert.equal(body.workflow.tasks[0].worker, 'agent-1');
  assert.deepEqual(body.workflow.tasks[0].actions[0].environment, { DISK: '/dev/vda' });
  const other = await api.call('POST', path, { hardware: 'm1', hardwareMap: { device_1: 'x' } });
  assert.equal(other.body.workflow.tasks[0].worker, 'x');
  assert.equal((await api.journal.read({ after: 0 })).length, before);
  assert.equal((await api.call('GET', path)).code, 405);
});

test('a text that does not render has line and column, in the template or in what it became', async () => {
  await using api = await withSite();
  const inTemplate = await api.call('POST', path, {
    hardware: 'm1',
    data: 'name: x\n{{ .Hardware.Nothing }}\n',
  });
  const { ok, error } = inTemplate.body;
  assert.deepEqual([inTemplate.code, ok, error.where, error.line], [200, false, 'template', 2]);
  const inRendered = await api.call('POST', path, {
    hardware: 'm1',
    data: `{{ range until 3 }}# {{ . }}\n{{ end }}tasks: 7\n`,
  });
  const { error: fault, text } = inRendered.body;
  assert.deepEqual([fault.where, fault.line, fault.path], ['rendered', 4, 'tasks']);
  assert.equal(text, '# 0\n# 1\n# 2\ntasks: 7\n');
  const unknown = `${base}/templates/new/render`;
  assert.equal((await api.call('POST', unknown, { hardware: 'm1', data })).body.ok, true);
  assert.equal((await api.call('POST', unknown, { hardware: 'm1' })).code, 404);
});

test('a hostile text ends at the limit of time', async () => {
  await using api = await withSite();
  const slow = `{{ $x := repeat 1000000 "a" }}{{ range until 1000 }}{{ range until 300 }}{{ $_ := contains "b" $x }}{{ end }}{{ end }}`;
  const { code, body } = await api.call('POST', path, { hardware: 'm1', data: slow });
  assert.deepEqual([code, body], [200, { ok: false, error: { message: 'template took longer than 2 s' } }]);
});

test('a wrong body names the field', async () => {
  await using api = await withSite();
  const cases: [body: object, code: number, says: RegExp][] = [
    [{}, 422, /hardware: is required/],
    [{ hardware: 7 }, 422, /hardware: 7: must be a string/],
    [{ hardware: 'm1', hardwareMap: { a: 1 } }, 422, /hardwareMap\.a: 1: must be a string/],
    [{ hardware: 'm1', text: '' }, 422, /unknown field "text"; known fields: hardware, data, hardwareMap/],
    [{ hardware: 'm2' }, 404, /hardware\.tinkerbell\.org "m2" not found/],
    [{ hardware: 'm1', data: 'x'.repeat(1_600_000) }, 422, /data: .*must be at most 1572864 characters/],
    [{ hardware: 'm1', data: 'x'.repeat(3_200_000) }, 413, /2097152 bytes/],
  ];
  for (const [body, code, says] of cases) {
    const refused = await api.call('POST', path, body);
    assert.equal(refused.code, code, JSON.stringify(refused.body).slice(0, 300));
    assert.match(refused.body.message, says);
  }
});

test('it needs get on the template and on the hardware, and shows only references that may be read', async () => {
  await using api = await withSite();
  const role = async (name: string, resources: readonly string[], group = 'tinkerbell.org') => {
    await api.call('POST', `/apis/${RBAC}/v1/clusterroles`, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name },
      rules: [{ verbs: ['get'], apiGroups: [group], resources }],
    });
    await api.call('POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'ann' }],
    });
  };
  const asAnn = async (given?: string) => {
    api.as(ann);
    const body = { hardware: 'm1', ...(given === undefined ? {} : { data: given }) };
    const answer = await api.call('POST', path, body);
    api.as(MASTER);
    return answer;
  };
  const text = `${data}# {{ .references.bmc.spec.connection.host }}\n`;
  assert.match((await asAnn()).body.message, /templates\.tinkerbell\.org "debian" is forbidden/);
  await role('templates', ['templates']);
  assert.match((await asAnn()).body.message, /hardware\.tinkerbell\.org "m1" is forbidden/);
  await role('hardware', ['hardware']);
  assert.equal((await asAnn()).body.ok, true);
  const hidden = await asAnn(text);
  assert.match(hidden.body.error.message, /reference forbidden to you: bmc/);
  await role('machines', ['machines'], BMC);
  const seen = await asAnn(text);
  assert.match(String(seen.body.text), /# 192\.0\.2\.7/, JSON.stringify(seen.body));
});
