/** Commands in this process, against a real server. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runTink } from './run.ts';
import { hardware, template, templateText, workflow } from './testdata/manifests.ts';
import { createRecordingTerminal, type RecordingOptions } from './testdata/recording-terminal.ts';
import { runServer, type RunningServer } from './testdata/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
after(() => server.remove());

const mac = '08:00:27:00:00:01';

async function tink(words: string, options: Partial<RecordingOptions> = {}) {
  const terminal = terminalFor(options);
  const code = await runTink(words.split(' '), terminal);
  return { code, ...terminal.printed };
}

function terminalFor(options: Partial<RecordingOptions> = {}) {
  const environment = { TINK_SERVER: server.url, TINK_CONFIG: join(server.folder, 'config.yaml') };
  return createRecordingTerminal({ ...options, environment: { ...environment, ...options.environment } });
}

function file(name: string, text: string): string {
  const path = join(server.folder, name);
  writeFileSync(path, text);
  return path;
}

/** Expects success and gives what was printed. */
async function done(words: string, options: Partial<RecordingOptions> = {}): Promise<string> {
  const { code, out, err } = await tink(words, options);
  assert.equal(code, 0, `tink ${words}: ${err}`);
  return out;
}

async function failed(words: string, options: Partial<RecordingOptions> = {}): Promise<string> {
  const { code, out, err } = await tink(words, options);
  assert.equal(code, 1, `tink ${words}: ${out}${err}`);
  return err;
}

test('apply creates, then finds unchanged, then changes', async () => {
  const path = file('m1.yaml', hardware('m1', mac));
  assert.equal(await done(`apply -f ${path} -n a1`), 'hardware/m1 created\n');
  assert.equal(await done(`apply -f ${path} -n a1`), 'hardware/m1 unchanged\n');
  file('m1.yaml', hardware('m1', mac, '  agentID: agent-7\n'));
  assert.equal(await done(`apply -f ${path} -n a1 --dry-run`), 'hardware/m1 configured (dry run)\n');
  assert.equal(await done(`apply -f ${path} -n a1`), 'hardware/m1 configured\n');
  assert.match(await done('get hw/m1 -n a1 -o yaml'), /agentID: agent-7\n/);
});

test('apply keeps labels that the file does not mention, and replaces those it does', async () => {
  const labelled = (labels: string) => hardware('m1', mac).replace('  name: m1\n', `  name: m1\n${labels}`);
  await done('apply -f - -n a2', { input: labelled('  labels: {rack: r7}\n') });
  assert.equal(await done('apply -f - -n a2', { input: labelled('') }), 'hardware/m1 unchanged\n');
  await done('apply -f - -n a2', { input: labelled('  labels: {row: "3"}\n') });
  assert.equal(await done('get hw -n a2 -l row=3 -o name'), 'hardware/m1\n');
  assert.equal(await done('get hw -n a2 -l rack -o name'), '');
});

test('nothing of a folder is stored when one object of one file is wrong, and each problem has its place', async () => {
  const folder = join(server.folder, 'site');
  mkdirSync(folder);
  file('site/a.yaml', hardware('m1', mac));
  file('site/b.yaml', `${hardware('m2', 'AA:BB:CC:00:00:02')}---\n${template('t')}`);
  file('site/c.yml', template('u', templateText.replace('.device_1 }}', '.device_1 | frobnicate }}')));
  file('site/d.json', '{"apiVersion": "tinkerbell.org/v1alpha1", "kind": "Hardwar"}');
  const problems = await failed(`apply -f ${folder} -n a3`);
  assert.match(problems, /b\.yaml:10:9: spec\.interfaces\[0\]\.dhcp\.mac: "AA:BB.*write "aa:bb:cc:00:00:02"/);
  assert.match(problems, /c\.yml:12:\d+: spec\.data: .*frobnicate/);
  assert.match(problems, /d\.json:1:\d+: kind: "Hardwar": unknown kind; did you mean Hardware\?/);
  assert.match(problems, /3 problems; nothing was sent/);
  assert.equal(await done('get all -n a3 -o name'), '');
});

test('what only the server knows to be wrong stops all the others, too', async () => {
  await done('apply -f - -n a4', { input: template('t') });
  const files = `${hardware('m9', '08:00:27:00:00:09')}---\n${hardware('m1', mac)}`;
  const input = files.replace('name: m1\n', 'name: m1\n  labels: {"a/b/c": x}\n');
  const { code } = await tink('apply -f - -n a4', { input });
  const names = await done('get hw -n a4 -o name');
  assert.equal(names, code === 0 ? 'hardware/m1\nhardware/m9\n' : '');
});

test('a template that does not render for the hardware beside it is refused at its line', async () => {
  const input = [
    workflow('w', 't', 'm1'),
    hardware('m1', mac),
    template('t', templateText.replace('Disks 0', 'Disks 3')),
  ].join('---\n');
  const err = await failed('apply -f - -n a5', { input });
  const line = input.split('\n').findIndex((one) => one.includes('Disks 3')) + 1;
  const column = input.split('\n')[line - 1]!.indexOf('index') + 1;
  assert.match(
    err,
    new RegExp(
      `standard input:${line}:${column}: spec\\.data: template t does not render for workflow w on hardware m1: .*out of range`,
    ),
  );
  assert.equal(await done('get all -n a5 -o name'), '');
});

test('what is wrong in the rendered text is told at the field it came from', async () => {
  const text = templateText.replace('image2disk:v1', '"image2disk:{{ .tag }}"');
  const input = [hardware('m1', mac), template('t', text), workflow('w', 't', 'm1')].join('---\n');
  const err = await failed('apply -f - -n a6', {
    input: input.replace('{device_1:', '{tag: "not a tag", device_1:'),
  });
  const line = input.split('\n').findIndex((one) => one.includes('{{ .tag }}')) + 1;
  assert.match(
    err,
    new RegExp(`:${line}:\\d+: spec\\.data: .*tasks\\[0\\]\\.actions\\[0\\]\\.image: invalid action image`),
  );
});

test('a workflow is rendered against what the server has, and a reference to nothing is a warning', async () => {
  await done('apply -f - -n a7', { input: template('t') });
  const { code, out, err } = await tink('apply -f - -n a7', { input: workflow('w', 't', 'm1') });
  assert.deepEqual([code, out], [0, 'workflow/w created\n']);
  assert.match(
    err,
    /warning: standard input:7:3: spec\.hardwareRef: there is no hardware "m1" in namespace a7/,
  );
  await done('apply -f - -n a7', {
    input: hardware('m1', mac).replace('    - device: /dev/sda\n', '    []\n'),
  });
  const refused = await failed('apply -f - -n a7', { input: workflow('w2', 't', 'm1') });
  assert.match(
    refused,
    /standard input:6:3: spec\.templateRef: template t does not render .*line 12, column \d+ of the template/,
  );
});

test('checks files without a server', async () => {
  const offline = { environment: { TINK_SERVER: 'http://127.0.0.1:1' } };
  const input = `${hardware('m1', mac)}---\n${template('t')}`;
  assert.equal(await done('apply -f - --validate-only', { ...offline, input }), '2 objects are valid\n');
  const twice = await failed('apply -f - --validate-only', {
    ...offline,
    input: `${template('t')}---\n${template('t')}`,
  });
  assert.match(twice, /standard input:\d+:3: metadata\.name: "t": this template is also in standard input:4/);
  const unreachable = await failed('apply -f -', { ...offline, input });
  assert.match(
    unreachable,
    /cannot reach the server at http:\/\/127\.0\.0\.1:1: nothing listens there.*\n.*npm start.*TINK_SERVER/,
  );
});

test('an object of another namespace than -n is refused', async () => {
  const input = hardware('m1', mac).replace('  name: m1', '  namespace: b1\n  name: m1');
  assert.match(
    await failed('apply -f - -n b2', { input }),
    /:4:3: metadata\.namespace: "b1": the command line says -n b2/,
  );
  assert.equal(await done('apply -f -', { input }), 'hardware/m1 created\n');
  assert.equal(await done('get hw -n b1 -o name'), 'hardware/m1\n');
});

test('get prints tables, names, YAML and JSON', async () => {
  await done('apply -f - -n g1', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  const [header, row] = (await done('get workflows -n g1 -o wide --show-labels')).split('\n');
  assert.match(
    header!,
    /^NAME +TEMPLATE +STATE +TASK +ACTION +AGENT +HARDWARE +TEMPLATE-RENDERING +AGE +LABELS$/,
  );
  assert.match(row!, /^w +t +.* m1 .* <none>$/);
  assert.match(await done('get hw -A'), /^NAMESPACE +NAME +STATE +AGE\n(.*\n)*g1 +m1 /);
  assert.equal(await done('get hw,tpl m1 -n g1 -o name').catch(() => 'refused'), 'refused');
  const json = JSON.parse(await done('get template t -n g1 -o json')) as { spec: { data: string } };
  assert.equal(json.spec.data, templateText);
  const list = JSON.parse(await done('get hw,wf -n g1 -o json')) as {
    kind: string;
    items: { kind: string }[];
  };
  assert.deepEqual([list.kind, list.items.map((one) => one.kind)], ['List', ['Hardware', 'Workflow']]);
  const { code, out, err } = await tink('get wf -n nowhere');
  assert.deepEqual([code, out, err], [0, '', 'no workflows in namespace nowhere\n']);
});

test('what get prints can be applied again', async () => {
  await done('apply -f - -n g2', { input: `${hardware('m1', mac)}---\n${template('t')}` });
  const input = await done('get all -n g2 -o yaml');
  assert.equal(await done('apply -f - -n g2', { input }), 'hardware/m1 unchanged\ntemplate/t unchanged\n');
});

test('get -w prints rows as they change', async () => {
  const terminal = terminalFor();
  const watching = runTink(['get', 'hw', '-w', '-n', 'g3'], terminal);
  await terminal.until(/NAME/);
  await done('apply -f - -n g3', { input: hardware('m1', mac) });
  await terminal.until(/^m1 /m);
  await done('delete hw m1 -n g3');
  await terminal.until(/^m1 .*\(deleted\)$/m);
  terminal.interrupt();
  assert.equal(await watching, 0);
});

test('unknown names and kinds come with the nearest', async () => {
  await done('apply -f - -n n1', { input: `${hardware('rack7-m1', mac)}---\n${template('debian')}` });
  assert.match(
    await failed('get hw rack7-m2 -n n1'),
    /hardware "rack7-m2" not found in namespace n1\n.*did you mean rack7-m1\?/,
  );
  assert.match(await failed('describe tpl debain -n n1'), /did you mean debian\?/);
  assert.match(await failed('get hw rack7-m1 -n n2'), /it is in namespace n1; add -n n1/);
  const kind = await tink('get hardwares');
  assert.deepEqual([kind.code, /did you mean hardware\?/.test(kind.err)], [2, true]);
  const command = await tink('aplly -f x');
  assert.deepEqual([command.code, /Did you mean apply\?/.test(command.err)], [2, true]);
});

test('delete takes names and files', async () => {
  const path = file(
    'gone.yaml',
    `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  );
  await done(`apply -f ${path} -n d1`);
  assert.equal(await done('delete wf/w -n d1'), 'workflow/w deleted\n');
  const again = await failed(`delete -f ${path} -n d1`);
  assert.match(again, /workflow "w" not found/);
  assert.equal(
    await done(`delete -f ${path} -n d1 --ignore-not-found`),
    'template/t deleted\nhardware/m1 deleted\n',
  );
  assert.equal(await done('get all -n d1 -o name'), '');
});

test('describe tells of a workflow’s actions and a machine’s network interfaces', async () => {
  await done('apply -f - -n e1', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  await rendered('w', 'e1');
  const text = await done('describe workflow w -n e1');
  assert.match(text, /^State: +PENDING$/m);
  assert.match(
    text,
    /install \(agent 08:00:27:00:00:01\):\n +ACTION +STATE +ATTEMPT.*\n +stream image +PENDING/,
  );
  assert.match(text, /TemplateRenderedSuccess +True/);
  assert.match(text, /state-changed +workflow is PENDING/);
  const machine = await done('describe hw m1 -n e1');
  assert.match(machine, /08:00:27:00:00:01 +192\.168\.56\.43 +255\.255\.255\.0 .* allowed +allowed/);
  assert.match(machine, /Workflows:\n.*\n +w +t +PENDING/);
  assert.match(await done('describe tpl t -n e1'), /^ +7 {6,}actions:$/m);
});

/** Waits until the controller has rendered the workflow. */
async function rendered(name: string, namespace: string): Promise<void> {
  const terminal = terminalFor();
  const watching = runTink(['workflow', 'events', name, '-n', namespace, '-w'], terminal);
  await terminal.until(/workflow is PENDING/);
  terminal.interrupt();
  await watching;
}

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
  assert.match(await failed('workflow retry m1-debian -n t1'), /has not ended; it is PENDING/);
  assert.equal(
    await done('workflow delete m1-debian x -n t1'),
    'workflow/m1-debian deleted\nworkflow/x deleted\n',
  );
  assert.equal(await done('template delete debian -n t1'), 'template/debian deleted\n');
  assert.equal(await done('hardware delete m1 -n t1'), 'hardware/m1 deleted\n');
});

test('retry runs an ended workflow again under the next name', async () => {
  await done('apply -f - -n t2', {
    input: `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w', 't', 'm1')}`,
  });
  await rendered('w', 't2');
  const path = `${server.url}/apis/tinkerbell.org/v1alpha1/namespaces/t2/workflows/w`;
  const current = (await (await fetch(path)).json()) as { status: object };
  const body = JSON.stringify({ ...current, status: { ...current.status, state: 'FAILED' } });
  const put = await fetch(`${path}/status`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(put.status, 200, await put.text());
  assert.equal(await done('workflow retry w -n t2'), 'w-2\n');
  assert.match(await done('get wf w-2 -n t2 -o yaml'), /hardwareRef: m1/);
});

test('template create refuses another text under a name that is taken, and says how to go on', async () => {
  const text = file('bare.yaml', templateText);
  await done(`template create --file ${text} -n t3`);
  assert.equal(await done(`template create --file ${text} -n t3`), 'template/debian unchanged\n');
  file('bare.yaml', templateText.replace('600', '900'));
  assert.match(
    await failed(`template create --file ${text} -n t3`),
    /template\/debian exists with another text\n.*--replace/,
  );
  assert.equal(await done(`template create --file ${text} -n t3 --replace`), 'template/debian configured\n');
  file('bare.yaml', templateText.replace('{{ .device_1 }}', '{{ .device_1 }'));
  assert.match(
    await failed(`template create --file ${text} -n t3`),
    /bare\.yaml:6:\d+: .*\n1 problem; nothing was sent/,
  );
  file('bare.yaml', templateText.replace('name: debian', 'name: "Debian 12"'));
  const { code, err } = await tink(`template create --file ${text} -n t3`);
  assert.deepEqual([code, /give one with --name debian-12/.test(err)], [2, true]);
});

test('workflow create refuses what does not render, and says what was set', async () => {
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

test('the configuration file sets server and namespace, and the command line wins', async () => {
  const environment = { TINK_SERVER: '', TINK_CONFIG: join(server.folder, 'own', 'config.yaml') };
  await done(`config set-server ${server.url}/`, { environment });
  await done('config set-namespace c1', { environment });
  await done('apply -f -', { environment, input: hardware('m1', mac) });
  assert.equal(await done('get hw -o name', { environment }), 'hardware/m1\n');
  assert.match(
    await done('config view -n c2', { environment }),
    new RegExp(`server +${server.url} +from .*config\\.yaml\nnamespace +c2 +from --namespace`),
  );
  const wrong = await tink('config set-server localhost:80', { environment });
  assert.deepEqual([wrong.code, /must be a URL such as/.test(wrong.err)], [2, true]);
});

test('every command has help with examples', async () => {
  const help = await tink('--help');
  const commands = [...help.out.matchAll(/^ {2}([a-z]+)/gm)].map((match) => match[1]!);
  for (const command of ['apply', 'get', 'describe', 'delete', 'events', 'version']) {
    assert.ok(commands.includes(command), command);
    assert.match(await done(`${command} --help`), /Examples:\n {2}/, command);
  }
  const grouped = [
    'hardware push',
    'template create',
    'workflow create',
    'workflow events',
    'workflow retry',
    'config set-server',
  ];
  for (const command of grouped) assert.match(await done(`${command} --help`), /Examples:\n {2}/, command);
});
