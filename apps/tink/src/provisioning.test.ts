/** The commands for machines, templates and workflows, against a real server. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createCommandRunner, writeText } from './testing/command-runner.ts';
import { hardware, template, templateText, workflow } from './testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from './testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, rendered, tink } = createCommandRunner(() => server);
const file = (name: string, text: string): string => writeText(server, name, text);
const mac = '08:00:27:00:00:01';

test('the commands of the Tink Server document work', async () => {
  const machine = file('hardware.yaml', hardware('m1', mac));
  const text = file('template.yaml', templateText);
  assert.equal(await done(`hardware push --file ${machine} -n t1`), 'hardware/m1 created\n');
  assert.equal(await done(`hardware create --file ${machine} -n t1`), 'hardware/m1 unchanged\n');
  assert.match(await done('hardware list -n t1'), /^NAME .*\nm1 /);
  assert.equal(await done(`template create --file ${text} -n t1`), 'template/debian created\n');
  assert.match(await done('template list -n t1'), /\ndebian /);
  assert.equal(await done(`workflow create --template debian --hardware m1 -n t1`), 'm1-debian\n');
  assert.equal(await done(`workflow create -t debian -r 08-00-27-00-00-01 -n t1`), 'm1-debian-2\n');
  assert.equal(await done(`workflow create -t debian -r {"device_1":"${mac}"} --name x -n t1`), 'x\n');
  const stored = JSON.parse(await done('workflow get m1-debian -n t1 -o json')) as { spec: object };
  assert.deepEqual(stored.spec, { templateRef: 'debian', hardwareRef: 'm1', hardwareMap: { device_1: mac } });
  assert.match(await done('workflow list -n t1'), /\nm1-debian .*\nm1-debian-2 .*\nx /);
  await rendered('m1-debian', 't1');
  assert.match(await done('workflow events m1-debian -n t1'), /state-changed +workflow is PENDING\n$/);
  assert.match(await failed('workflow rerun m1-debian -n t1'), /has not ended; it is PENDING/);
  assert.equal(
    await done('workflow delete m1-debian x -n t1'),
    'workflow/m1-debian deleted\nworkflow/x deleted\n',
  );
  assert.equal(await done('template delete debian -n t1'), 'template/debian deleted\n');
  assert.equal(await done('hardware delete m1 -n t1'), 'hardware/m1 deleted\n');
});

test('rerun runs an ended workflow again under the next name', async () => {
  await done('apply -f - -n t2', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  await rendered('w', 't2');
  const path = `${server.url}/apis/tinkerbell.org/v1alpha1/namespaces/t2/workflows/w`;
  const current = (await (await server.request(path)).json()) as { status: object };
  const body = JSON.stringify({ ...current, status: { ...current.status, state: 'FAILED' } });
  const put = await server.request(`${path}/status`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(put.status, 200, await put.text());
  assert.equal(await done('workflow rerun w -n t2'), 'w-2\n');
  assert.match(await done('get wf w-2 -n t2 -o yaml'), /hardwareRef: m1/);
});

test('template create rejects different text under an existing name, with advice', async () => {
  const text = file('bare.yaml', templateText);
  await done(`template create --file ${text} -n t3`);
  assert.equal(await done(`template create --file ${text} -n t3`), 'template/debian unchanged\n');
  file('bare.yaml', templateText.replace('600', '900'));
  assert.match(
    await failed(`template create --file ${text} -n t3`),
    /template\/debian already exists with different text\n.*--replace/,
  );
  assert.equal(await done(`template create --file ${text} -n t3 --replace`), 'template/debian configured\n');
  file('bare.yaml', templateText.replace('{{ .device_1 }}', '{{ .device_1 }'));
  assert.match(
    await failed(`template create --file ${text} -n t3`),
    /bare\.yaml:6:\d+: .*\ntink: 1 problem; nothing was sent/,
  );
  file('bare.yaml', templateText.replace('name: debian', 'name: "Debian 12"'));
  const { code, err } = await tink(`template create --file ${text} -n t3`);
  assert.deepEqual([code, /set one with --name debian-12/.test(err)], [2, true]);
});

test('workflow create rejects a template that does not render, and prints the values', async () => {
  await done('apply -f - -n t4', {
    input: `${hardware('m1', mac)}---\n${template('t', templateText.replace('.device_1', '.device_2'))}`,
  });
  const err = await failed('workflow create -t t -r m1 -n t4');
  assert.match(
    err,
    /template t does not render: line 6, column \d+: .*device_2.*\n.*device_1=08:00:27:00:00:01.*--set/,
  );
  assert.equal(await done('workflow create -t t -r m1 --set device_2=x -n t4'), 'm1-t\n');
  assert.match(
    await failed('workflow create -t t -r 08:00:27:00:00:99 -n t4'),
    /no hardware in namespace t4 has the MAC/,
  );
});

test('hardware push converts files of the first Tink', async () => {
  const legacy = {
    id: 'ce2e62ed-826f-4485-a39f-a82bb74338e2',
    metadata: { facility: { facility_code: 'onprem' }, instance: {}, state: 'provisioning', colour: 'red' },
    network: {
      interfaces: [
        {
          dhcp: {
            arch: 'x86_64',
            hostname: 'server001',
            ip: { address: '192.168.1.5', netmask: '255.255.255.248' },
            mac: '08:00:27:00:00:AA',
            uefi: false,
          },
          netboot: { allow_pxe: true, allow_workflow: true },
        },
      ],
    },
  };
  const path = file('legacy.json', JSON.stringify(legacy));
  const { code, out, err } = await tink(`hardware push --file ${path} -n t5`);
  assert.deepEqual([code, out], [0, 'hardware/server001 created\n'], err);
  assert.match(err, /left out: spec\.metadata\.colour/);
  const stored = await done('get hw server001 -n t5 -o yaml');
  assert.match(stored, /mac: 08:00:27:00:00:aa/);
  assert.match(stored, /allowPXE: true/);
  assert.match(stored, /id: ce2e62ed/);
  const other = file('other.json', '{"id": "x", "name": "y"}');
  assert.match(
    await failed(`hardware push --file ${other} -n t5`),
    /neither a Hardware .* nor hardware of the first Tink/,
  );
});

test('a uid works in place of a name for all verbs', async () => {
  await done('apply -f - -n t-uid', { input: `${hardware('m1', mac)}---\n${template('t')}` });
  const uidOf = async (object: string) => {
    const stored = JSON.parse(await done(`get ${object} -n t-uid -o json`)) as { metadata: { uid: string } };
    return stored.metadata.uid;
  };
  const [machine, text] = [await uidOf('hw/m1'), await uidOf('template/t')];
  assert.equal(await done(`workflow create --template ${text} --hardware ${machine} -n t-uid`), 'm1-t\n');
  const stored = JSON.parse(await done('get wf m1-t -n t-uid -o json')) as { spec: object };
  assert.deepEqual(stored.spec, { templateRef: 't', hardwareRef: 'm1', hardwareMap: { device_1: mac } });
  await rendered('m1-t', 't-uid');
  const id = await uidOf('wf/m1-t');
  assert.match(await done(`workflow events ${id} -n t-uid`), /state-changed +workflow is PENDING\n$/);
  assert.match(await done(`workflow pause ${id} -n t-uid`), /^workflow\/m1-t paused\n/);
  assert.match(await done(`get workflow ${id} -n t-uid`), /\nm1-t .*PENDING \(paused\)/);
  assert.match(await done(`describe workflow ${id} -n t-uid`), /m1-t/);
  assert.match(await done(`tree workflow ${id} -n t-uid`), /m1-t/);
  assert.equal(await done(`label workflow ${id} a=b -n t-uid`), 'workflow/m1-t labeled\n');
  assert.match(
    await done(`wait workflow ${id} --for state=PENDING -n t-uid`),
    /^workflow\/m1-t condition met/,
  );
  assert.match(await done(`workflow cancel ${id} -n t-uid`), /^workflow\/m1-t cancelled\n/);
  assert.match(await done(`workflow retry ${id} -n t-uid`), /^workflow\/m1-t retried\n/);
  assert.match(await done(`workflow logs ${id} -n t-uid`), /^$/);
  assert.match(
    await done(`patch hw ${machine} -p {"spec":{"agentID":"a"}} -n t-uid`),
    /hardware\/m1 patched/,
  );
  assert.equal(await done(`workflow delete ${id} -n t-uid`), 'workflow/m1-t deleted\n');
  assert.equal(await done(`template delete ${text} -n t-uid`), 'template/t deleted\n');
  assert.equal(await done(`hardware delete ${machine} -n t-uid`), 'hardware/m1 deleted\n');
  assert.match(await failed(`get workflow ${id} -n t-uid`), new RegExp(`workflow "${id}" not found`));
});
