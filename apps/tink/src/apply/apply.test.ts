/** What apply sends and what it rejects, against a real server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { hardware, template, templateText, workflow } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed, tink } = createCommandRunner(() => server);
const file = (name: string, text: string): string => writeText(server, name, text);
const mac = '08:00:27:00:00:01';

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

test('stores nothing of a folder if one object is invalid, and reports the place of each problem', async () => {
  const folder = join(server.folder, 'site');
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

test('a rejection by the server also stops all other objects', async () => {
  await done('apply -f - -n a4-before', { input: hardware('owner', mac) });
  const input = `${hardware('m9', '08:00:27:00:00:09')}---\n${hardware('m1', mac)}`;
  assert.match(await failed('apply -f - -n a4', { input }), /rejected by the server; nothing was stored/);
  assert.equal(await done('get hw -n a4 -o name'), '');
});

test('a template that does not render for the hardware in the same files is a warning at its line, and its workflow waits', async () => {
  const input = [
    workflow('w', 't', 'm1'),
    hardware('m1', mac),
    template('t', templateText.replace('Disks 0', 'Disks 3')),
  ].join('---\n');
  const { code, err } = await tink('apply -f - -n a5', { input });
  assert.equal(code, 0);
  const line = input.split('\n').findIndex((one) => one.includes('Disks 3')) + 1;
  const column = input.split('\n')[line - 1]!.indexOf('index') + 1;
  assert.match(
    err,
    new RegExp(
      `standard input:${line}:${column}: spec\\.data: template t does not render for workflow w on hardware m1: .*out of range.*; the workflow waits until it does`,
    ),
  );
  assert.match(await done('get all -n a5 -o name'), /workflow\/w/);
  const invalid = await failed('workflow validate -f -', { input });
  assert.match(invalid, /does not render for workflow w on hardware m1: .*out of range/);
});

test('reports an error in the rendered text at the field it came from', async () => {
  const text = templateText.replace('image2disk:v1', '"image2disk:{{ .tag }}"');
  const input = [hardware('m1', mac), template('t', text), workflow('w', 't', 'm1')].join('---\n');
  const { err } = await tink('apply -f - -n a6', {
    input: input.replace('{device_1:', '{tag: "not a tag", device_1:'),
  });
  const line = input.split('\n').findIndex((one) => one.includes('{{ .tag }}')) + 1;
  assert.match(
    err,
    new RegExp(`:${line}:\\d+: spec\\.data: .*tasks\\[0\\]\\.actions\\[0\\]\\.image: invalid action image`),
  );
});

test('renders a workflow against the objects of the server, and warns about missing references', async () => {
  await done('apply -f - -n a7', { input: template('t') });
  const { code, out, err } = await tink('apply -f - -n a7', { input: workflow('w', 't', 'm1') });
  assert.deepEqual([code, out], [0, 'workflow/w created\n']);
  assert.match(
    err,
    /warning: standard input:7:3: spec\.hardwareRef: hardware "m1" not found in namespace a7/,
  );
  await done('apply -f - -n a7', {
    input: hardware('m1', mac).replace('    - device: /dev/sda\n', '    []\n'),
  });
  const waiting = await tink('apply -f - -n a7', { input: workflow('w2', 't', 'm1') });
  assert.equal(waiting.out, 'workflow/w2 created\n');
  assert.match(
    waiting.err,
    /standard input:6:3: spec\.templateRef: template t does not render .*line 12, column \d+ of the template/,
  );
});

test('warns about an image that the agent cannot run, with its place, also for an expression', async () => {
  const text = templateText.replace('image2disk:v1', 'quay.io/tinkerbell-actions/customtool:v1');
  const input = template('t', text);
  const line = input.split('\n').findIndex((one) => one.includes('customtool')) + 1;
  const expected = new RegExp(
    `^warning: standard input:${line}:20: spec\\.data: the agent .* cannot run the image quay\\.io/tinkerbell-actions/customtool:v1; built in are image2disk,`,
  );
  assert.match((await tink('apply -f - -n a10', { input })).err, expected);
  const bare = await tink('template validate -f -', { input: text });
  assert.deepEqual(
    [bare.code, bare.out, /^warning: standard input:9:16: the agent .*customtool/.test(bare.err)],
    [0, 'standard input: the template is valid\n', true],
  );
  const made = templateText.replace('image2disk:v1', '"{{ .image }}:v1"');
  const files = [hardware('m1', mac), template('u', made), workflow('w', 'u', 'm1')].join('---\n');
  const { err } = await tink('workflow validate -f -', {
    input: files.replace('{device_1:', '{image: parted, device_1:'),
  });
  assert.match(err, /^warning: .*: spec\.templateRef: the agent .* cannot run the image parted:v1/);
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
    /cannot reach the server at http:\/\/127\.0\.0\.1:1: connection refused.*\n.*npm start.*TINK_SERVER/,
  );
});

test('rejects an object of another namespace than -n', async () => {
  const input = hardware('m1', mac).replace('  name: m1', '  namespace: b1\n  name: m1');
  assert.match(
    await failed('apply -f - -n b2', { input }),
    /:4:3: metadata\.namespace: "b1" conflicts with -n b2/,
  );
  const refused = await failed('apply -f -', { input });
  assert.match(refused, /namespaces "b1" not found; .*--create-namespace/);
  const made = await tink('apply -f - --create-namespace', { input });
  assert.deepEqual([made.out, made.err], ['hardware/m1 created\n', 'namespace/b1 created\n']);
  assert.equal(await done('get hw -n b1 -o name'), 'hardware/m1\n');
  assert.equal(await done('apply -f - --create-namespace', { input }), 'hardware/m1 unchanged\n');
});

test('warns about a second workflow for a machine and about deleted hardware, with advice', async () => {
  const scene = `${hardware('m1', mac)}---\n${template('t')}---\n${workflow('w1', 't', 'm1')}`;
  await done('apply -f - -n a-two', { input: scene });
  const second = workflow('w2', 't', 'm1');
  for (const dry of [' --dry-run', '']) {
    const { code, err } = await tink(`apply -f - -n a-two${dry}`, { input: second });
    assert.equal(code, 0);
    assert.equal(err.match(/warning: .*w1 \(.*tink workflow cancel w1/g)?.length, 1, err);
  }
  const { code, err } = await tink('delete hw m1 -n a-two');
  assert.equal(code, 0);
  assert.match(err, /warning: hardware m1 is deleted while it has .*: w1 .*tink workflow cancel w1/);
});
