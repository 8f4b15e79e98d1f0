/** tree and explain: their pure parts, and both against a real server. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { explainText, schemaAt, schemaIn, typeText } from './explain/explain-schema.ts';
import { hardwareTree, treeText, type TreeObjects } from './tree/object-tree.ts';
import { createCommandRunner } from './testing/command-runner.ts';
import { hardware, template, workflow } from './testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from './testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, rendered, tink } = createCommandRunner(() => server);

test('a tree has the BMC with jobs and tasks, workflows, matching rule sets and owners', () => {
  const meta = (name: string, more = {}) => ({ name, namespace: 'default', ...more });
  const object = (kind: string, name: string, rest: object, more = {}) => ({
    apiVersion: 'v1',
    kind,
    metadata: meta(name, more),
    ...rest,
  });
  const job = object(
    'Job',
    'j',
    {
      spec: { machineRef: { name: 'bmc', namespace: 'default' }, tasks: [] },
      status: { conditions: [{ type: 'Completed', status: 'True' }] },
    },
    { uid: 'u1' },
  );
  const all: TreeObjects = {
    hardware: [],
    templates: [],
    workflows: [
      object('Workflow', 'w', {
        spec: { hardwareRef: 'm1', templateRef: 't' },
        status: { state: 'RUNNING' },
      }),
    ],
    ruleSets: [object('WorkflowRuleSet', 'r', { spec: { rules: ['{"cpu": {"totalCores": [4]}}'] } })],
    machines: [
      object('Machine', 'bmc', {
        status: { conditions: [{ type: 'Contactable', status: 'False', message: 'timeout' }] },
      }),
    ],
    jobs: [job],
    tasks: [
      object(
        'Task',
        'j-1',
        {},
        { ownerReferences: [{ apiVersion: 'v1', kind: 'Job', name: 'j', uid: 'u1' }] },
      ),
    ],
  };
  const root = object(
    'Hardware',
    'm1',
    { spec: { bmcRef: { kind: 'Machine', name: 'bmc' } } },
    {
      annotations: { 'tinkerbell.org/agent-attributes': '{"cpu":{"totalCores":4}}' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Cluster', name: 'c', uid: 'u9' }],
    },
  );
  assert.equal(
    treeText(hardwareTree(root as never, all)),
    [
      'hardware/m1',
      '├─ machine/bmc  not Contactable: timeout',
      '│  └─ job/j  Completed',
      '│     └─ task/j-1',
      '├─ workflow/w  RUNNING',
      '│  └─ template/t  does not exist',
      '├─ workflowruleset/r  1 of 1 rules match, the one enrollment takes',
      '└─ owner cluster/c',
      '',
    ].join('\n'),
  );
});

test('tree shows workflows down to their actions', async () => {
  await done('apply -f - -n t', {
    input: `${hardware('m1', '08:00:27:00:00:01')}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  await rendered('w', 't');
  const text = await done('tree hardware/m1 -n t');
  assert.match(
    text,
    /^hardware\/m1 {2}08:00:27:00:00:01\n└─ workflow\/w {2}PENDING\n {3}├─ template\/t\n {3}└─ task install {2}agent .*\n {6}└─ action stream image {2}PENDING\n$/,
  );
  assert.match(await done('tree wf w -n t'), /^workflow\/w {2}PENDING\n├─ hardware\/m1\n/);
  assert.match(await failed('tree hw m2 -n t'), /did you mean m1\?/);
  assert.equal((await tink('tree template t -n t')).code, 2);
});

test('explain tells types, rules and fields, from the server and without it', async () => {
  const offline = { environment: { TINK_SERVER: 'http://127.0.0.1:1' } };
  const online = await done('explain hardware.spec.interfaces[0].dhcp');
  assert.match(online, /^hardware\.spec\.interfaces\.dhcp {2}<Object>\n/);
  assert.match(online, /^ {2}mac +string +pattern /m);
  assert.match(online, /\n {2}Addresses and options for DHCP replies\./);
  const fields = online.slice(online.indexOf('\nFields:\n')).split('\n').slice(2, -1);
  assert.equal(fields.length, 14);
  assert.deepEqual(
    fields.filter((line) => !line.endsWith('.')),
    [],
  );
  assert.match(online, /^ {2}lease_time +integer \(int64\) +Lease duration in seconds/m);
  assert.match(await done('explain hardware.spec.interfaces.dhcp.time_servers'), /\(DHCP option 42\)/);
  const away = await tink('explain hardware.spec.interfaces.dhcp', offline);
  assert.deepEqual([away.code, away.out, /server is away/.test(away.err)], [0, online, true]);
  assert.match(
    await done('explain hw.spec --recursive'),
    /^ {2}interfaces +\[\]Object .*\n {4}dhcp +Object/m,
  );
  const wrong = await tink('explain hardware.spec.interfases');
  assert.deepEqual([wrong.code, /did you mean hardware\.spec\.interfaces\?/.test(wrong.err)], [2, true]);
});

test('types, references and required fields are told', () => {
  assert.equal(typeText({ type: 'array', items: { type: 'string' } }), '[]string');
  assert.equal(
    typeText({ additionalProperties: { type: 'integer', format: 'int64' } }),
    'map[string]integer (int64)',
  );
  const document = {
    components: {
      schemas: {
        a: {
          'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v1', kind: 'A' }],
          type: 'object',
          required: ['b'],
          properties: { b: { $ref: '#/components/schemas/b' } },
        },
        b: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'what b is' },
      },
    },
  };
  const schema = schemaIn(document, { group: 'g', version: 'v1', kind: 'A' });
  assert.ok(schema !== undefined);
  assert.match(
    explainText(schemaAt('a', [], schema), false),
    /^ {2}b {3}string {3}required; default "x"; one of "x", "y"\. what b is$/m,
  );
  assert.throws(() => schemaAt('a', ['b', 'c'], schema), { message: /a\.b has no fields/ });
});
